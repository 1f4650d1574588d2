// SPDX-License-Identifier: GPL-3.0-or-later
//
// Flamenco job type: a folder of animation files into .blend files, a task for each part of the folder.
// What was tried and what was not: docs/server.md.

const JOB_TYPE = {
    label: "Animation Curves Import",
    settings: [
        { key: "recordings", type: "string", subtype: "dir_path", required: true,
          description: "Folder with recordings, as the workers see it; searched through with all its folders" },
        { key: "blends", type: "string", subtype: "dir_path", required: true,
          description: "Folder for the .blend files, for this job alone: what lies there is replaced" },
        { key: "parts", type: "int32", default: 100, propargs: {min: 1, max: 100000},
          description: "Tasks to share the recordings out to; a task that is tried again does its whole part again" },
        { key: "jobs", type: "int32", default: 1, propargs: {min: 1, max: 64},
          description: "Processes at a time on each worker, four for each core at most" },
    ]
};

function compileJob(job) {
    const settings = job.settings;
    for (let part = 1; part <= settings.parts; part++) {
        const task = author.Task(`import-${part}-of-${settings.parts}`, "blender");
        task.addCommand(author.Command("exec", {
            exe: "{blender}",
            args: ["--command", "anim_curves", "import", settings.recordings, "--output", settings.blends,
                   "--part", `${part}/${settings.parts}`, "--jobs", `${settings.jobs}`,
                   "--overwrite", "--exit-zero", "--json"],
        }));
        job.addTask(task);
    }
}
