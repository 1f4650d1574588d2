// SPDX-License-Identifier: GPL-3.0-or-later
//
// Flamenco job type: folders of animation files into .blend files, a task for each folder.
// Untested on a farm; see docs/server.md.

const JOB_TYPE = {
    label: "Animation Curves Import",
    settings: [
        { key: "folders", type: "string", required: true,
          description: "Folders with recordings, as the workers see them, separated by semicolons" },
        { key: "output", type: "string", subtype: "dir_path", required: true,
          description: "Folder for the .blend files" },
        { key: "jobs", type: "int32", default: 4, propargs: {min: 1, max: 64},
          description: "Processes at a time on each worker" },
    ]
};

function compileJob(job) {
    const folders = job.settings.folders.split(";").map(name => name.trim()).filter(name => name);
    for (const folder of folders) {
        const task = author.Task(`import-${path.basename(folder)}`, "misc");
        task.addCommand(author.Command("exec", {
            exe: "{blender}",
            args: ["--command", "anim_curves", "import", folder,
                   "--output", path.join(job.settings.output, path.basename(folder)),
                   "--jobs", `${job.settings.jobs}`, "--json"],
        }));
        job.addTask(task);
    }
}
