"""The German translation: every label, description and sentence, by its English text."""

from __future__ import annotations

GERMAN: dict[str, str] = {
    "Report Detail": "Berichtsumfang",
    "How much an import or export tells; the full list is always in the Text of the file": (
        "Wie viel ein Import oder Export meldet; die ganze Liste steht immer im Text der Datei"
    ),
    "Summary": "Zusammenfassung",
    "Replace {file} in {folder}?": "{file} in {folder} ersetzen?",
    "{file} in {folder} was changed outside of this .blend; replace it all the same?": (
        "{file} in {folder} wurde außerhalb dieser .blend geändert; trotzdem ersetzen?"
    ),
    "{file} (changed outside of this .blend)": "{file} (außerhalb dieser .blend geändert)",
    "AnimJ (.animj)": "AnimJ (.animj)",
    "JSON, which the engine's author advises for exchange": "JSON, das der Autor der Engine zum Austausch empfiehlt",
    "AnimX (.animx)": "AnimX (.animx)",
    "Binary, smaller and packed if wanted; what the engine itself saves": (
        "Binär, kleiner und auf Wunsch gepackt; so speichert die Engine selbst"
    ),
    "Frame New Armatures": "Neue Skelette einrahmen",
    "Turn the 3D view to what is seen of a new armature or model after an import": (
        "Nach einem Import die 3D-Ansicht auf das richten, was von einem neuen Skelett oder Modell zu sehen ist"
    ),
    "Counts and the heaviest warning": "Mengen und die schwerste Warnung",
    "Warnings": "Warnungen",
    "Also every warning, each in a line of the Info editor": "Auch jede Warnung, jede in einer Zeile des Info-Editors",
    "Target": "Ziel",
    "What receives the animation": "Was die Animation erhält",
    "Automatic": "Automatisch",
    "The armature that is selected, moves what is selected or has the skeleton's name; else a new one": (
        "Das Skelett, das ausgewählt ist, Ausgewähltes bewegt oder heißt wie das der Datei; sonst ein neues"
    ),
    "New Armature": "Neues Skelett",
    "Always make a new armature": "Immer ein neues Skelett anlegen",
    "Selected Armature": "Ausgewähltes Skelett",
    "The active armature, bones matched by name": "Das aktive Skelett, Knochen nach Namen zugeordnet",
    "By Name": "Nach Namen",
    "Bones and objects of the scene that have the file's names": (
        "Knochen und Objekte der Szene, die heißen wie in der Datei"
    ),
    "Name Table": "Namenstabelle",
    (
        "JSON file that says which bone of the selected armature each name of the file means; names that it does not "
        "have are matched by rules"
    ): (
        "JSON-Datei, die sagt, welchen Knochen des ausgewählten Skeletts jeder Name der Datei meint; fehlende Namen "
        "werden nach Regeln zugeordnet"
    ),
    "Rate": "Bildrate",
    "Frames per second that turn the file's seconds into frames": (
        "Bilder pro Sekunde, die aus den Sekunden der Datei Bilder machen"
    ),
    "Time": "Zeit",
    "Advanced": "Erweitert",
    "The scene's; a file that counts in frames (W3D, W3X) sets its own while nothing is animated yet": (
        "Die der Szene; eine Datei, die in Bildern zählt (W3D, W3X), setzt ihre eigene, solange noch nichts animiert ist"
    ),
    "Scene": "Szene",
    "Keep the scene's rate; keys may lie between frames": (
        "Die Rate der Szene behalten; Schlüsselbilder können dann zwischen Bildern liegen"
    ),
    "File": "Datei",
    "Set the scene to the file's own rate": "Die Szene auf die Rate der Datei stellen",
    "Custom": "Benutzerdefiniert",
    "Set the scene to the rate below": "Die Szene auf die Rate unten stellen",
    "Custom (fps)": "Eigene (fps)",
    "Frames per second for Custom": "Bilder pro Sekunde für „Benutzerdefiniert“",
    "Start Frame": "Startbild",
    "Frame on which the file's time 0 lies": "Bild, auf dem die Zeit 0 der Datei liegt",
    "Set Scene Range": "Szenenbereich",
    "Make the scene's range cover the clip": "Den Bereich der Szene so setzen, dass er den Clip umfasst",
    "Scale": "Skalierung",
    "Factor for all lengths": "Faktor für alle Längen",
    "Hide Helper Bones": "Hilfsknochen aus",
    "Draw bones that a person seldom wants to see, such as fingertips, as nothing; their keys stay in every editor": (
        "Knochen, die man selten sehen will, etwa Fingerspitzen, als nichts zeichnen; ihre Schlüsselbilder bleiben in"
        " jedem Editor"
    ),
    "NLA": "NLA",
    "What else is done with an Action that is not merged into another": "Was außerdem mit der Aktion geschieht",
    "None": "Nichts",
    "Assign the Action, nothing else": "Die Aktion zuweisen, sonst nichts",
    "Stash": "Ablegen",
    "Also keep it on a muted NLA track": "Sie auch auf einer stummen NLA-Spur behalten",
    "Strip": "Streifen",
    "Place it as an NLA strip instead of assigning it; the next file's follows on the same armature": (
        "Sie als NLA-Streifen setzen statt sie zuzuweisen; der der nächsten Datei folgt auf demselben Skelett"
    ),
    "In Sequence": "Nacheinander",
    (
        "Place all as NLA strips, each after the one before, also those of other files and armatures, "
        "with a scene marker for each"
    ): (
        "Alle als NLA-Streifen setzen, jeden hinter den vorigen, auch die anderer Dateien und Skelette, "
        "mit einer Szenenmarkierung für jeden"
    ),
    "{name} still plays the Action {action}, which covers the new strips; push it down or unlink it": (
        "{name} spielt noch die Aktion {action}, die die neuen Streifen verdeckt; schieben Sie sie in der NLA nach "
        "unten oder lösen Sie sie, um diese zu sehen"
    ),
    "At Current Frame": "Ab aktuellem Bild",
    "The file's time 0 lies on the frame that the scene shows, whatever Start Frame says": (
        "Die Zeit 0 der Datei liegt auf dem Bild, das die Szene zeigt, was auch immer „Startbild“ sagt"
    ),
    "Same Name": "Gleicher Name",
    "What happens when an Action of that name exists": "Was geschieht, wenn es eine Aktion dieses Namens gibt",
    "Keep Both": "Beide behalten",
    "The new Action gets a suffix; exports do not show it": (
        "Die neue Aktion erhält eine Endung, die in Exporten nicht erscheint"
    ),
    "Replace": "Ersetzen",
    "Replace what was changed in {names} by {file}?": "Was in {names} geändert wurde, durch {file} ersetzen?",
    "The new Action takes the place of the old one everywhere": "Die neue Aktion tritt überall an die Stelle der alten",
    "Channels": "Kanäle",
    "What of each bone and object is taken; exports leave in the file what an import left out": (
        "Was von jedem Knochen und Objekt genommen wird; Exporte lassen in der Datei, was ein Import wegließ"
    ),
    "All": "Alle",
    "Everything that the file moves": "Alles, was die Datei bewegt",
    "Rotation Only": "Nur Rotation",
    "No locations and sizes; properties such as visibility are taken": (
        "Keine Positionen und Skalierungen; Eigenschaften wie die Sichtbarkeit werden genommen"
    ),
    "Selected Bones": "Nur ausgewählte",
    "Only bones of the target that are selected in Pose Mode; everything else stays as it is": (
        "Nur Knochen des Ziels, die im Posenmodus ausgewählt sind; alles andere bleibt, wie es ist"
    ),
    "Root Motion": "Wurzelbewegung",
    "Take the locations of the uppermost bones that change their place; off, the figure moves on the spot": (
        "Die Positionen der obersten Knochen nehmen, die ihre Position ändern; aus bewegt sich die Figur auf der Stelle"
    ),
    (
        "{count} of {total} {total:channel|channels} {count:is|are} left out, as asked; an export to the same file "
        "leaves {count:it|them} there"
    ): (
        "{count} von {total} {total:Kanal|Kanälen} {count:bleibt|bleiben} weg, wie gewünscht; ein Export in dieselbe "
        "Datei lässt {count:ihn|sie} dort"
    ),
    "the file has nothing that these options take; change Channels, Selected Bones or Root Motion": (
        "die Datei hat nichts, was diese Optionen nehmen; ändern Sie „Kanäle“, „Nur ausgewählte“ oder „Wurzelbewegung“"
    ),
    "no bone that the file moves is selected; select such in Pose Mode, or switch Selected Bones off": (
        "kein Knochen, den die Datei bewegt, ist ausgewählt; wählen Sie im Posenmodus solche aus oder schalten Sie "
        "„Nur ausgewählte“ aus"
    ),
    (
        "No bone of {name} has a parent, so the root is unknown; all locations were used. "
        "Import onto an armature whose bones have parents to leave the root's out"
    ): (
        "Kein Knochen von {name} hängt an einem anderen, sodass nichts die Wurzel verrät; alle Positionen wurden "
        "genommen. Importieren Sie auf ein Skelett, dessen Knochen Eltern haben, um die der Wurzel wegzulassen"
    ),
    (
        "{count} {count:channel|channels} that the import left out {count:is|are} not in this file; import "
        "all channels to export {count:it|them}"
    ): (
        "{count} {count:Kanal, den der Import wegließ, ist|Kanäle, die der Import wegließ, sind} nicht in dieser "
        "Datei; importieren Sie alle Kanäle, um {count:ihn|sie} zu exportieren"
    ),
    "{count} {count:channel|channels} that the import left out {count:stays|stay} as before in {file}": (
        "{count} {count:Kanal, den der Import wegließ, bleibt|Kanäle, die der Import wegließ, bleiben} unverändert "
        "in {file}"
    ),
    (
        "{count} {count:channel|channels} that the import left out {count:is|are} not written, as the "
        "armature's rest pose or the scene's rate is not the file's; import all channels to export {count:it|them}"
    ): (
        "{count} {count:Kanal, den der Import wegließ, wird|Kanäle, die der Import wegließ, werden} nicht "
        "geschrieben, da die Ruhepose des Skeletts oder die Bildrate nicht die der Datei ist; importieren Sie alle "
        "Kanäle, um {count:ihn|sie} zu exportieren"
    ),
    "Merge into Action": "In Aktion einfügen",
    (
        "Write into the Action that is assigned to the target, where there is one: curves of the file's channels take the "
        "place of those that are there, all others stay; an export treats them as edited"
    ): (
        "In die Aktion schreiben, die dem Ziel zugewiesen ist, wo es eine gibt: Kurven der Kanäle der Datei treten an die "
        "Stelle der vorhandenen, alle anderen bleiben; ein Export behandelt sie als bearbeitet"
    ),
    "Merged into the Action {name}; an export treats what the file brought as edited": (
        "In die Aktion {name} eingefügt; ein Export behandelt, was die Datei brachte, als bearbeitet"
    ),
    "{name} is in Edit Mode, where Blender shows no pose of it; leave that (Tab) and export again": (
        "{name} ist im Bearbeitungsmodus, in dem Blender keine Pose davon zeigt; verlassen Sie den Bearbeitungsmodus (Tab) "
        "und exportieren Sie noch einmal"
    ),
    "{name} is hidden, and so is all that it moves; show it to see the animation": (
        "{name} ist ausgeblendet, und alles, was es bewegt, auch; blenden Sie es ein, um die Animation zu sehen"
    ),
    (
        "the NLA of {name} is switched off or plays one track alone, so that the new strips are not seen; "
        "change that in the NLA editor"
    ): (
        "die NLA von {name} ist ausgeschaltet oder spielt eine Spur allein, sodass die neuen Streifen nicht zu "
        "sehen sind; ändern Sie das im NLA-Editor"
    ),
    (
        "the NLA strip {strip} of {name} plays its Action to frame {cut:g} of {end:g}, as it is as long as the old one; "
        "lengthen it in the NLA editor"
    ): (
        "der NLA-Streifen {strip} von {name} spielt seine Aktion bis Bild {cut:g} von {end:g}, da er so lang ist "
        "wie die alte; verlängern Sie ihn im NLA-Editor"
    ),
    (
        "the file holds no animation, no skeleton and nothing else that Blender can show; choose the file with the "
        "animation"
    ): (
        "die Datei enthält weder Animation noch Skelett noch sonst etwas, das Blender zeigen kann; wählen Sie die Datei mit "
        "der Animation"
    ),
    (
        "The file holds no animation, no skeleton and nothing else that Blender can show; the empty {name} keeps it, and "
        "an export of that writes it again as it is"
    ): (
        "Die Datei enthält weder Animation noch Skelett noch sonst etwas, das Blender zeigen kann; das Leerobjekt {name} "
        "behält sie, und dessen Export schreibt sie wieder, wie sie ist"
    ),
    (
        "{number} {number:bone|bones} that models are parented to {number:is|are} missing; the models follow the "
        "next bone above: {names}"
    ): (
        "{number} {number:Knochen, an dem|Knochen, an denen} Modelle hängen, {number:fehlt|fehlen}; was daran hängt, folgt dem "
        "nächsten darüber: {names}"
    ),
    (
        "the Action {action} turns {number} {number:bone|bones} by angles, which no longer play, as the file needs "
        "quaternions there; undo, and import onto a copy of the armature to keep it: {names}"
    ): (
        "die Aktion {action} dreht {number} Knochen mit Winkeln, die nicht mehr abgespielt werden, da die Datei "
        "dort Quaternionen braucht; machen Sie das rückgängig und importieren Sie auf eine Kopie des Skeletts, um "
        "sie zu behalten: {names}"
    ),
    (
        "{name} is a library override, on which Blender keeps new custom properties only until the file is opened again; "
        "add {property} in the library's own file"
    ): (
        "{name} ist eine Bibliotheksüberschreibung, auf der Blender neue benutzerdefinierte Eigenschaften nur "
        "behält, bis die Datei wieder geöffnet wird; fügen Sie {property} in der Datei der Bibliothek hinzu"
    ),
    (
        "{name} no longer plays the Action {action}, which moves the object itself; merge into that Action, or push it down in "
        "the NLA editor, to play both"
    ): (
        "{name} spielt die Aktion {action} nicht mehr, die das Objekt selbst bewegt; fügen Sie in diese Aktion ein "
        "oder schieben Sie sie im NLA-Editor nach unten, um beide zu spielen"
    ),
    "The armature is {size:.3g} times the size of the file's skeleton. Import with Scale {size:.3g} to match its motion": (
        "Das Skelett ist {size:.3g}-mal so groß wie das der Datei. Importieren Sie mit Skalierung {size:.3g}, damit die "
        "Bewegung passt"
    ),
    "The armature has the size of the file's skeleton. Import with Scale 1 to match its motion": (
        "Das Skelett ist so groß wie das der Datei. Importieren Sie mit Skalierung 1, damit die Bewegung passt"
    ),
    "{name} has an NLA strip in tweak mode; leave that mode in the NLA editor, and import again": (
        "ein NLA-Streifen von {name} ist im Optimierungsmodus; verlassen Sie diesen im NLA-Editor und importieren "
        "Sie noch einmal"
    ),
    "the Action {name} is linked from another file; make it local to merge into it": (
        "die Aktion {name} ist aus einer anderen Datei verknüpft; machen Sie sie lokal, um in sie einzufügen"
    ),
    "Mark as Assets": "Als Assets",
    (
        "Show new Actions in the Asset Browser, by skeleton and with tags; "
        "adds their catalogues to blender_assets.cats.txt beside the saved .blend"
    ): (
        "Neue Aktionen im Asset-Browser zeigen, nach Skeletten und mit Schlagwörtern; "
        "ihre Kataloge kommen in blender_assets.cats.txt neben der gespeicherten .blend"
    ),
    (
        "no list of catalogues has {names} yet, as this .blend is not saved; save it and import again, "
        "or make what is missing in the Asset Browser"
    ): (
        "in keiner Katalogliste steht bisher {names}, da diese .blend nicht gespeichert ist; speichern Sie sie und "
        "importieren Sie noch einmal, oder legen Sie im Asset-Browser an, was fehlt"
    ),
    "expected a list of asset catalogues of version 1, found {found}; mend it or move it away": (
        "erwartet war Blenders Liste der Asset-Kataloge in Version 1, gefunden {found}; stellen Sie sie richtig "
        "oder räumen Sie sie weg"
    ),
    "Name from": "Name nach",
    "What new Actions and armatures are named after; exports keep the file's own names either way": (
        "Wonach neue Aktionen und Skelette heißen; Exporte behalten so oder so die Namen der Datei"
    ),
    "The names in the file, where it has any": "Die Namen in der Datei, wo sie welche hat",
    "The file's name; of several animations in one, that and their own": (
        "Der Name der Datei; bei mehreren Animationen in einer dazu deren eigener"
    ),
    "Name Prefix": "Namensvorsatz",
    "Put before the names of new Actions": "Steht vor den Namen neuer Aktionen",
    "Keep Source": "Quelle behalten",
    "Keep the file's bytes in the .blend, so that untouched parts export exactly": (
        "Die Bytes der Datei in der .blend behalten, damit Unberührtes genau so exportiert wird"
    ),
    "Size (MiB)": "Größe (MiB)",
    "Largest file that is taken, and most that compressed data may expand to": (
        "Größte Datei, die angenommen wird, und wie groß gepackte Daten ausgepackt höchstens werden dürfen"
    ),
    "Memory (MiB)": "Speicher (MiB)",
    "Refuse what needs more memory than this (MiB). 0 uses a quarter of the machine's memory, up to 4096": (
        "Ablehnen, was mehr Speicher als das braucht (MiB). 0 nimmt ein Viertel des Arbeitsspeichers, höchstens 4096"
    ),
    "Time (s)": "Zeit (s)",
    (
        "Refuse what takes the processor longer than this (s), as far as that is known beforehand. "
        "0 allows a minute, and 15 s for each MiB of the file"
    ): (
        "Ablehnen, was den Prozessor länger als das beschäftigt (s), soweit es sich vorher sagen lässt. "
        "0 erlaubt eine Minute und 15 s für jedes MiB der Datei"
    ),
    (
        "this takes the processor {needed} s or more, the limit is {limit}; "
        "raise it (Time in the add-on's preferences, or --time-s), or choose fewer frames or a smaller file"
    ): (
        "das beschäftigt den Prozessor {needed} s oder länger, die Grenze ist {limit}; erhöhen Sie sie (Zeit in "
        "den Einstellungen des Add-ons, oder --time-s), oder wählen Sie weniger Bilder oder eine kleinere Datei"
    ),
    (
        "this takes {needed} MiB of memory or more, the limit is {limit}; raise it (Memory in the "
        "add-on's preferences, or --memory-mib) or choose a smaller file"
    ): (
        "das braucht {needed} MiB Speicher oder mehr, die Grenze ist {limit}; erhöhen Sie sie (Speicher in den "
        "Einstellungen des Add-ons, oder --memory-mib) oder wählen Sie eine kleinere Datei"
    ),
    "Hand Skeleton": "Handskelett",
    (
        "Build properly parented hands with the motion baked onto them, ready to drive a hand mesh; off keeps every "
        "channel's own keys"
    ): (
        "Hände mit richtiger Hierarchie bauen und die Bewegung darauf backen, bereit für ein Handmodell; aus behält "
        "jeder Kanal seine eigenen Schlüsselbilder"
    ),
    "Hide Untracked": "Lücken verbergen",
    "Draw the bones of a hand as nothing while the recording does not see it; their keys stay in every editor": (
        "Die Knochen einer Hand als nichts zeichnen, solange die Aufnahme sie nicht sieht; ihre Schlüsselbilder "
        "bleiben in jedem Editor"
    ),
    "Repair Rotations": "Rotation reparieren",
    "Rebuild the rotation's W that MRTK 2.6.0 to 2.7.2 forgot to record": (
        "Das W der Rotation neu berechnen, das MRTK 2.6.0 bis 2.7.2 nicht aufnahm"
    ),
    "Keys": "Schlüssel",
    "Imported Keys": "Schlüsselbilder",
    "Where the exported keys come from": "Woher die exportierten Schlüsselbilder kommen",
    "Keys where F-Curves alone make the pose, baked where constraints, drivers or NLA do": (
        "Schlüsselbilder, wo allein F-Kurven die Pose bilden, gebacken, wo Beschränkungen, Treiber oder NLA es tun"
    ),
    "Always the keys of the F-Curves": "Immer die Schlüsselbilder der F-Kurven",
    "Bake": "Backen",
    "Always the evaluated pose, one key a frame": "Immer die ausgewertete Pose, ein Schlüsselbild je Bild",
    "Actions": "Aktionen",
    "Which Actions are written": "Welche Aktionen geschrieben werden",
    "Active": "Aktive",
    "The Action that is assigned": "Die zugewiesene Aktion",
    "All, Separate Files": "Alle, einzelne Dateien",
    "Each Action alone, with the objects that it is made for, in a file named after it": (
        "Jede Aktion allein mit den Objekten, für die sie gemacht ist, in eine Datei, die heißt wie sie"
    ),
    "File Names": "Dateinamen",
    (
        "Pattern that names the files in the chosen folder, such as {object}_{action}; {action}, {object} and {blend} "
        "are filled in. Empty, one file has the name that is typed, and several are named by themselves"
    ): (
        "Muster, das die Dateien im gewählten Ordner benennt, etwa {object}_{action}; {action}, {object} und {blend} werden "
        "ausgefüllt. Leer heißt eine Datei, wie es eingegeben ist, und mehrere benennen sich selbst"
    ),
    "the pattern {pattern} has a brace without its partner; the places that can be filled are {choices}": (
        "das Muster {pattern} hat eine Klammer ohne ihr Gegenstück; ausfüllen lassen sich {choices}"
    ),
    "Unknown field {found} in the file name pattern; use one of {choices}": (
        "Unbekanntes Feld {found} im Muster für Dateinamen; verwenden Sie eines von {choices}"
    ),
    "the pattern {pattern} names a folder; choose the folder itself, and a pattern without slashes": (
        "das Muster {pattern} nennt einen Ordner; wählen Sie den Ordner selbst und ein Muster ohne Schrägstriche"
    ),
    (
        "{first} and {second} would both be written to this file; change the pattern so that it tells them apart, "
        "or rename one"
    ): (
        "{first} und {second} kämen beide in diese Datei; ändern Sie das Muster so, dass es sie unterscheidet, "
        "oder benennen Sie eines davon um"
    ),
    "{action} of {name}": "{action} von {name}",
    "there is no collection named {name}; choose one that the file contains": (
        "es gibt keine Sammlung namens {name}; wählen Sie eine, die die Datei enthält"
    ),
    "Space": "Raum",
    "Whether the object's own transform counts": "Ob die Transformation des Objekts selbst zählt",
    "World": "Welt",
    "A moved or scaled object exports its world motion": (
        "Ein verschobenes oder skaliertes Objekt exportiert seine Bewegung in der Welt"
    ),
    "Local": "Lokal",
    "The object's own transform is left out": "Die Transformation des Objekts bleibt weg",
    "Scene Range": "Szenenbereich",
    "Write the scene's frame range instead of the Action's": (
        "Den Bildbereich der Szene statt dem der Aktion schreiben"
    ),
    "Bake to Scene End": "Bis Szenenende",
    "Write what goes on after the last key, such as Cycles, as far as the scene's last frame": (
        "Was nach dem letzten Schlüsselbild weitergeht, etwa Zyklen, bis zum letzten Bild der Szene schreiben"
    ),
    "Keep Frame 0": "Bild 0 beibehalten",
    (
        "Make Blender's frame 0 the file's time 0, or of an imported Action the frame that its file began at; "
        "off, the first frame that is exported is time 0"
    ): (
        "Blenders Bild 0 zur Zeit 0 der Datei machen, bei einer importierten Aktion das Bild, an dem ihre Datei "
        "begann; aus, ist das erste exportierte Bild die Zeit 0"
    ),
    "Exact if Untouched": "Unberührt exakt",
    "Give untouched parts the imported file's own bytes": "Unberührte Teile erhalten die Bytes der importierten Datei",
    "Check": "Prüfung",
    "Whether the file is played and compared with the scene before it is handed over; what is off is sampled, "
    "what is off still is a warning": (
        "Ob die Datei nachgespielt und mit der Szene verglichen wird, bevor sie fertig ist; was abweicht, wird "
        "abgetastet, was dann noch abweicht, ist eine Warnung"
    ),
    "Quick": "Schnell",
    "At 26 moments, as few as 8 beyond a tenth of the time of the export and half a second": (
        "An 26 Zeitpunkten, jenseits eines Zehntels der Zeit des Exports und einer halben Sekunde nur an 8"
    ),
    "Thorough": "Gründlich",
    "At 520 moments, whatever time that takes, and also what is written byte for byte": (
        "An 520 Zeitpunkten, wie lange das auch dauert, und auch was Byte für Byte geschrieben wird"
    ),
    "Off": "Aus",
    "Nothing is compared": "Nichts wird verglichen",
    "Strict": "Streng",
    "Deform Bones Only": "Nur verformende",
    "Write no bones that deform nothing and carry no object, as Blender's glTF exporter does with Deformation Bones "
    "Only; what moves the others through them is sampled": (
        "Keine Knochen schreiben, die nichts verformen und kein Objekt tragen, wie Blenders glTF-Export mit „Nur "
        "deformierende Knochen“; was die anderen durch sie bewegt, wird abgetastet"
    ),
    "Write no file that plays further off the scene than the format promises": (
        "Keine Datei schreiben, die weiter neben der Szene spielt, als das Format zusagt"
    ),
    "Version": "Version",
    "Version of the file": "Version der Datei",
    "The version of the recording it came from, else 1.1": "Die Version der Aufnahme, aus der sie stammt, sonst 1.1",
    "1.0 (MRTK 2.0 and later)": "1.0 (MRTK 2.0 und neuer)",
    "Curves with tangents, no eye gaze; every MRTK 2 reads it": (
        "Kurven mit Tangenten, kein Blick; jedes MRTK 2 liest sie"
    ),
    "1.1 (MRTK 2.6 and later)": "1.1 (MRTK 2.6 und neuer)",
    "Straight lines between keys, eye gaze, smaller": "Geraden zwischen Schlüsselbildern, Blick, kleiner",
    "Tolerance (m)": "Toleranz (m)",
    "How far a position may be off where 1.1 replaces a curve by straight lines": (
        "Wie weit eine Position abweichen darf, wo 1.1 eine Kurve durch Geraden ersetzt"
    ),
    "Tolerance (°)": "Toleranz (°)",
    "How many degrees a rotation may be off where 1.1 replaces a curve by straight lines": (
        "Um wie viel Grad eine Rotation abweichen darf, wo 1.1 eine Kurve durch Geraden ersetzt"
    ),
    (
        "the hand of {wrist} moves, but its property tracked is never on, so MRTK does not show it; insert a key on tracked in "
        "{wrist} where the hand is to be seen"
    ): (
        "die Hand von {wrist} bewegt sich, aber ihre Eigenschaft tracked ist nie an, daher zeigt MRTK sie nicht; fügen Sie "
        "für tracked in {wrist} ein Schlüsselbild ein, wo die Hand zu sehen sein soll"
    ),
    (
        "{number} {number:joint of a hand has|joints of hands have} no keys, so MRTK shows {number:it|them} in the origin; "
        "add {number:a bone of this name|bones of these names}: {names}"
    ): (
        "{number} {number:Gelenk einer Hand hat|Gelenke von Händen haben} keine Schlüsselbilder, daher zeigt MRTK "
        "{number:es|sie} im Ursprung; legen Sie {number:einen Knochen dieses Namens|Knochen dieser Namen} an: "
        "{names}"
    ),
    "Loop": "Schleife",
    "How many times the recording plays, one after the other; MRTK itself plays a file once": (
        "Wie oft die Aufnahme hintereinander spielt; MRTK selbst spielt eine Datei einmal"
    ),
    "Until (s)": "Bis (s)",
    "Play the recording again and again until it is so long; 0 leaves that to Loop": (
        "Die Aufnahme immer wieder spielen, bis sie so lang ist; 0 überlässt das der Schleife"
    ),
    "Begin at Zero": "Bei null beginnen",
    "Move everything so that the first key lies at time 0; off, the file's time 0 is where the start frame lies": (
        "Alles so verschieben, dass das erste Schlüsselbild bei Zeit 0 liegt; aus liegt die Zeit 0 der Datei auf dem "
        "Startbild"
    ),
    "Drop Gaze": "Blick weglassen",
    "Leave the eye gaze out where version 1.0 cannot hold it": (
        "Den Blick weglassen, wo Version 1.0 ihn nicht fassen kann"
    ),
    "Repaired Rotations": "Reparierte Rotation",
    "Write the rebuilt rotations, for readers that repair nothing; off leaves untouched rotations as they were": (
        "Die neu berechneten Rotationen schreiben, für Programme, die nichts reparieren; aus bleiben unberührte "
        "Rotationen, wie sie waren"
    ),
    "Joint Names": "Gelenknamen",
    (
        "For rigs with other names: bone=joint pairs, separated by semicolons, such as hand_l=Wrist.L; "
        "thumb_03_l=ThumbTip.L"
    ): (
        "Für Rigs mit anderen Namen: Paare Knochen=Gelenk, durch Semikolon getrennt, etwa hand_l=Wrist.L; "
        "thumb_03_l=ThumbTip.L"
    ),
    "Game": "Spiel",
    "Whose rules for the time between frames are followed": "Wessen Regeln für die Zeit zwischen den Bildern gelten",
    "Battle for Middle-earth for its own form of file, else Renegade": (
        "Schlacht um Mittelerde bei deren eigener Dateiform, sonst Renegade"
    ),
    "Renegade": "Renegade",
    "Everything interpolates, rotations along the great arc": (
        "Alles wird interpoliert, Rotationen entlang des Großkreises"
    ),
    "Generals": "Generals",
    "As Renegade, but uncompressed channels jump at half frames": (
        "Wie Renegade, aber ungepackte Kanäle springen auf halben Bildern"
    ),
    "Battle for Middle-earth": "Schlacht um Mittelerde",
    "Uncompressed channels jump at half frames; the others interpolate, rotations as normalised straight lines": (
        "Ungepackte Kanäle springen auf halben Bildern; die anderen werden interpoliert, Rotationen als normierte "
        "Geraden"
    ),
    "Skeleton File": "Skelettdatei",
    "W3D file with the skeleton; empty looks for it beside the animation": (
        "W3D-Datei mit dem Skelett; leer wird es neben der Animation gesucht"
    ),
    "Hide by Active": "Active nutzen",
    "Draw bones as nothing, and hide objects, while their track Active is off": (
        "Knochen als nichts zeichnen und Objekte verbergen, solange ihre Spur Active aus ist"
    ),
    "Hide by Visibility": "Sichtbarkeit nutzen",
    "Draw bones as nothing while the file's visibility channels hide them": (
        "Knochen als nichts zeichnen, solange die Sichtbarkeitskanäle der Datei sie verbergen"
    ),
    "Root Pivot as Bone": "Wurzel-Knochen",
    ("Make a bone of the first pivot; off, the armature object stands for it, as an add-on for W3D models has it"): (
        "Aus dem ersten Pivot einen Knochen machen; ohne ihn steht das Skelettobjekt dafür, wie bei einem Add-on für "
        "W3D-Modelle"
    ),
    "Form": "Form",
    "How the channels are stored": "Wie die Kanäle gespeichert werden",
    "As the Source": "Wie die Quelle",
    "The form of the imported file; uncompressed where there is none": (
        "Die Form der importierten Datei; ungepackt, wo es keine gibt"
    ),
    "Uncompressed": "Ungepackt",
    "A value for every frame; every game of the family reads it": (
        "Ein Wert für jedes Bild; jedes Spiel der Familie liest sie"
    ),
    "Timecoded": "Mit Zeitmarken",
    "Keys at whole frames, removed within the tolerances": (
        "Schlüsselbilder auf ganzen Bildern, innerhalb der Toleranzen ausgedünnt"
    ),
    "Adaptive Delta": "Adaptives Delta",
    "4-bit differences; smallest for dense motion, not exact": (
        "Differenzen zu 4 Bit; am kleinsten bei dichter Bewegung, nicht exakt"
    ),
    "Timecoded (Middle-earth)": "Mit Zeitmarken (Mittelerde)",
    "Keys at whole frames, for the Battle for Middle-earth games": (
        "Schlüsselbilder auf ganzen Bildern, für die Spiele um Mittelerde"
    ),
    "Adaptive Delta (Middle-earth)": "Adaptives Delta (Mittelerde)",
    "4-bit differences, for the Battle for Middle-earth games": "Differenzen zu 4 Bit, für die Spiele um Mittelerde",
    "Skeleton": "Skelett",
    "Whether the file holds the skeleton": "Ob die Datei das Skelett enthält",
    "As in the imported file; with the animation where there is no skeleton file": (
        "Wie in der importierten Datei; mit der Animation, wo es keine Skelettdatei gibt"
    ),
    "Include": "Mitschreiben",
    "Write the armature's bones as pivots before the animation": (
        "Die Knochen des Skeletts als Pivots vor die Animation schreiben"
    ),
    "Animation Only": "Nur Animation",
    "Write no skeleton; the game looks for one of the hierarchy's name": (
        "Kein Skelett schreiben; das Spiel sucht eines mit dem Namen der Hierarchie"
    ),
    (
        "How far a position may be off where keys are left out, in the file's units, or in sizes of a figure smaller "
        "than one unit (timecoded)"
    ): (
        "Wie weit eine Position abweichen darf, wo Schlüsselbilder wegfallen, in Einheiten der Datei oder, bei "
        "Figuren unter einer Einheit, in Größen der Figur (mit Zeitmarken)"
    ),
    "How many degrees a rotation may be off where keys are left out (timecoded)": (
        "Um wie viel Grad eine Rotation abweichen darf, wo Schlüsselbilder wegfallen (mit Zeitmarken)"
    ),
    "Rate (fps)": "Rate (fps)",
    "Frames per second of the file; 0 keeps the source's or the scene's": (
        "Bilder pro Sekunde der Datei; 0 behält die der Quelle oder der Szene"
    ),
    "First Frame": "Erstes Bild",
    "First frame of the clip that is written, at the file's rate": (
        "Erstes geschriebenes Bild des Clips, in der Rate der Datei"
    ),
    "Frame Count": "Bildanzahl",
    "How many frames are written; 0 writes all": "Wie viele Bilder geschrieben werden; 0 schreibt alle",
    "Animation": "Animation",
    "At most 15 characters; empty takes the file's name, by which the game finds it": (
        "Höchstens 15 Zeichen; leer gilt der Name der Datei, unter dem das Spiel sie findet"
    ),
    "Names": "Namen",
    "Hierarchy": "Hierarchie",
    "At most 15 characters; empty takes the name of the armature's data": (
        "Höchstens 15 Zeichen; leer gilt der Name der Skelettdaten"
    ),
    "byte {offset}": "Byte {offset}",
    "expected {expected} more {expected:byte|bytes}, found {found}; the file is cut short, get a complete copy": (
        "noch {expected} {expected:Byte|Bytes} erwartet, {found} gefunden; die Datei ist abgeschnitten, besorgen Sie eine "
        "vollständige Kopie"
    ),
    (
        "{count} {count:record|records} of {size} {size:byte|bytes} {count:does|do} not fit into the {left} "
        "{left:byte|bytes} left; the file is damaged"
    ): (
        "{count} {count:Eintrag|Einträge} zu {size} {size:Byte|Bytes} {count:passt|passen} nicht in die übrigen {left} "
        "{left:Byte|Bytes}; die Datei ist beschädigt"
    ),
    "expected a variable-length number of at most 10 bytes; the file is damaged": (
        "eine Zahl veränderlicher Länge von höchstens 10 Bytes erwartet; die Datei ist beschädigt"
    ),
    "expected UTF-8 text; save it as UTF-8, or get a complete copy": (
        "UTF-8-Text erwartet; speichern Sie ihn als UTF-8 oder besorgen Sie eine vollständige Kopie"
    ),
    "the file is empty; record or export it again": (
        "die Datei ist leer; nehmen Sie sie neu auf oder exportieren Sie sie neu"
    ),
    "expected an MRTK recording, a W3D or W3X file, AnimX or AnimJ (UTF-8, no comments), recognised by content; this is none of them": (
        "eine MRTK-Aufnahme, W3D, W3X, AnimX oder AnimJ (UTF-8, ohne Kommentare) erwartet, am Inhalt erkannt; diese Datei ist nichts davon"
    ),
    "expected a name with one of the endings {endings}, found the ending {found!r}; change the name": (
        "erwartet wurde ein Name mit einer der Endungen {endings}, gefunden die Endung {found!r}; ändern Sie den Namen"
    ),
    "found {kind}, which conversions write but nothing here reads; choose the recording or animation that it was made of": (
        "gefunden: {kind}; Umwandlungen schreiben solche Dateien, aber hier liest sie nichts; wählen Sie die Aufnahme "
        "oder Animation, aus der sie entstand"
    ),
    "the file names no parents, so every node is where its own numbers put it; import it onto its armature in "
    "Blender to see where that is in the world": (
        "die Datei nennt keine Eltern, daher steht jeder Knoten da, wohin ihn seine eigenen Zahlen stellen; "
        "importieren Sie sie in Blender auf ihr Skelett, um zu sehen, wo das in der Welt ist"
    ),
    "{channels} {channels:channel that is no transform|channels that are no transforms} ({names}) {channels:is|are} "
    "kept as extras of the scene, which viewers do not play": (
        "{channels} {channels:Kanal, der keine Transformation ist|Kanäle, die keine Transformationen sind} ({names}), "
        "{channels:steht|stehen} als Extras in der Szene; Betrachter spielen so etwas nicht ab"
    ),
    "{markers} {markers:marker is|markers are} kept as extras of the scene, which viewers do not show": (
        "{markers} Marker {markers:steht|stehen} als Extras in der Szene; Betrachter zeigen so etwas nicht"
    ),
    "{markers} {markers:marker has|markers have} no place in a table and {markers:is|are} left out; convert to .npz to "
    "keep {markers:it|them}": (
        "{markers} Marker {markers:hat in einer Tabelle keinen Platz und fehlt|haben in einer Tabelle keinen Platz und "
        "fehlen}; wandeln Sie in .npz um, um {markers:ihn|sie} zu behalten"
    ),
    "curves are written as cubic splines, at most {percent:.2g} % of their range off": (
        "Kurven sind als kubische Splines geschrieben, die um höchstens {percent:.2g} % ihres Bereichs abweichen"
    ),
    "{nodes} {nodes:node is sheared by its parent|nodes are sheared by their parents}, which location, rotation and scale "
    "cannot express; {nodes:its|their} axes are made square": (
        "{nodes} Knoten {nodes:ist durch seinen übergeordneten|sind durch ihre übergeordneten} geschert, was Position, "
        "Rotation und Skalierung nicht ausdrücken können; {nodes:seine|ihre} Achsen stehen nun rechtwinklig"
    ),
    "the file cannot be opened: {reason}": "die Datei lässt sich nicht öffnen: {reason}",
    "expected a file, found something else of this name, such as a folder, a pipe or a device; choose a file": (
        "erwartet wurde eine Datei, gefunden etwas anderes dieses Namens, etwa ein Ordner, eine Pipe oder ein Gerät; "
        "wählen Sie eine Datei"
    ),
    "a file cannot have this name; choose a file": "so kann keine Datei heißen; wählen Sie eine Datei",
    "there is not enough memory for this; close other programs or choose a smaller file": (
        "der Speicher reicht dafür nicht; schließen Sie andere Programme oder wählen Sie eine kleinere Datei"
    ),
    "there is not enough memory for {size} bytes; close other programs or choose a smaller file": (
        "der Speicher reicht nicht für {size} Bytes; schließen Sie andere Programme oder wählen Sie eine kleinere Datei"
    ),
    "the option {name} goes from {low} to {high}, found {found}; choose a number in between": (
        "die Option {name} geht von {low} bis {high}, gefunden {found}; wählen Sie eine Zahl dazwischen"
    ),
    "the option {name} cannot be {found}; choose one of {choices}": (
        "die Option {name} kann nicht {found} sein; wählen Sie eines von {choices}"
    ),
    "the option {name} cannot be {found}; choose on or off": (
        "die Option {name} kann nicht {found} sein; wählen Sie an oder aus"
    ),
    "the option {name} cannot be {found}; choose a whole number": (
        "die Option {name} kann nicht {found} sein; wählen Sie eine ganze Zahl"
    ),
    "the option {name} cannot be {found}; choose a number": (
        "die Option {name} kann nicht {found} sein; wählen Sie eine Zahl"
    ),
    "these options are another format's; give those of {format}": (
        "diese Optionen sind die eines anderen Formats; geben Sie die von {format} an"
    ),
    (
        "the option {name} cannot be followed from {format} to {format}, as such a file does not say what it was made "
        "for; import the file into Blender, and export it from there"
    ): (
        "die Option {name} lässt sich von {format} zu {format} nicht befolgen, weil eine solche Datei nicht sagt, wofür "
        "sie gemacht ist; importieren Sie die Datei in Blender, und exportieren Sie sie von dort"
    ),
    "the option {name} cannot be {found}; choose a text": (
        "die Option {name} kann nicht {found} sein; wählen Sie einen Text"
    ),
    "this folder cannot be made: {reason}; choose another": (
        "dieser Ordner lässt sich nicht anlegen: {reason}; wählen Sie einen anderen"
    ),
    "there is no object named {name}; choose one that the file contains": (
        "es gibt kein Objekt des Namens {name}; wählen Sie eines, das die Datei hat"
    ),
    "the location, scale or rest pose of {name} is zero, infinite or not a number; correct it first": (
        "Position, Skalierung oder Ruhepose von {name} sind null, unendlich oder keine Zahl; berichtigen Sie das vor "
        "dem Export"
    ),
    "the folder does not exist; make it or choose another": (
        "den Ordner gibt es nicht; legen Sie ihn an oder wählen Sie einen anderen"
    ),
    "a file of this name exists already; choose another name, or allow overwriting (--overwrite)": (
        "eine Datei dieses Namens gibt es schon; wählen Sie einen anderen Namen oder erlauben Sie das "
        "Überschreiben (--overwrite)"
    ),
    "this would become {number} files; add --yes if they are wanted": (
        "das würden {number} Dateien; geben Sie --yes an, falls sie gewünscht sind"
    ),
    "{first} and {second} would both become this file; rename one, or choose another folder for it": (
        "aus {first} und {second} würde dieselbe Datei; benennen Sie eine um oder wählen Sie einen anderen Ordner "
        "für sie"
    ),
    "This file exists already and would be replaced:": "Diese Datei gibt es schon, sie würde ersetzt:",
    "{count} files exist already and would be replaced:": "{count} Dateien gibt es schon, sie würden ersetzt:",
    "Replace Files?": "Dateien ersetzen?",
    "Write": "Schreiben",
    "Write {count} Files?": "{count} Dateien schreiben?",
    "Overwrite": "Überschreiben",
    "Replace files that exist already, where others are written than the one that is named": (
        "Dateien ersetzen, die es schon gibt, wo andere geschrieben werden als die genannte"
    ),
    "Say which files an export would replace, or how many write, and export when that is wanted": (
        "Sagen, welche Dateien ein Export ersetzen oder wie viele er schreiben würde, und auf Wunsch exportieren"
    ),
    "the disk is full; make room or choose another disk": (
        "der Datenträger ist voll; schaffen Sie Platz oder wählen Sie einen anderen"
    ),
    "something other than a file has this name, such as a folder; choose another name": (
        "etwas, das keine Datei ist, trägt diesen Namen, etwa ein Ordner; wählen Sie einen anderen Namen"
    ),
    "there is no permission to change the file or its folder; grant it or choose another folder": (
        "die Datei oder ihr Ordner darf nicht geändert werden; erlauben Sie es oder wählen Sie einen anderen Ort"
    ),
    "another program holds the file, or has changed it meanwhile; close it there and try again": (
        "ein anderes Programm hält die Datei oder hat sie inzwischen geändert; schließen Sie sie dort und versuchen Sie "
        "es noch einmal"
    ),
    "there is not enough room for {size} bytes; make room or choose another disk": (
        "für {size} Bytes ist nicht genug Platz; schaffen Sie Platz oder wählen Sie einen anderen Datenträger"
    ),
    "the system does not accept this file name; choose a shorter or simpler one": (
        "das System nimmt einen solchen Dateinamen nicht an; wählen Sie einen kürzeren oder einfacheren"
    ),
    "the disk does not give back what was written to it; choose another disk": (
        "der Datenträger gibt nicht zurück, was geschrieben wurde; wählen Sie einen anderen"
    ),
    "the file cannot be written: {reason}": "die Datei lässt sich nicht schreiben: {reason}",
    "{size} bytes after the end of the data are kept but not used": (
        "{size} Bytes nach dem Ende der Daten werden behalten, aber nicht verwendet"
    ),
    "{count} more like this {count:is|are} not listed": (
        "{count} {count:weiterer|weitere} dieser Art {count:ist|sind} nicht aufgeführt"
    ),
    "expected the magic number of an MRTK input recording; choose a file that MRTK recorded": (
        "die Kennzahl einer MRTK-Aufnahme erwartet; wählen Sie eine Datei, die MRTK aufgenommen hat"
    ),
    "expected a version up to 1.1, found {major}.{minor}; no MRTK 2 release reads that, record it again or update": (
        "eine Version bis 1.1 erwartet, {major}.{minor} gefunden; kein MRTK 2 liest das, nehmen Sie neu auf oder "
        "aktualisieren Sie"
    ),
    (
        "expected a version number after the magic number; this is a dialect without one (recordings of "
        "hololens-tutorials), which MRTK does not read either; record it with MRTK itself"
    ): (
        "nach der Kennzahl eine Versionsnummer erwartet; dies ist ein Dialekt ohne sie (Aufnahmen von "
        "hololens-tutorials), den auch MRTK nicht liest; nehmen Sie mit MRTK selbst auf"
    ),
    "the document contradicts itself, so no file can be written; set this part as the version asks": (
        "das Dokument widerspricht sich, daher lässt sich keine Datei schreiben; setzen Sie diesen Teil, wie die "
        "Version es verlangt"
    ),
    "the keys have 28 bytes, as the public document says; MRTK reads 8 in version 1.1 and cannot open this": (
        "die Schlüsselbilder haben 28 Bytes, wie es das öffentliche Dokument sagt; MRTK selbst liest in Version 1.1 "
        "deren 8 und kann diese Datei nicht öffnen"
    ),
    "the list of markers at the end is missing, as in the public document; MRTK itself refuses such a file": (
        "die Liste der Marker am Ende fehlt wie im öffentlichen Dokument; MRTK selbst weist eine solche Datei zurück"
    ),
    "the rotation lacked W, which MRTK 2.6.0 to 2.7.2 forget to record; it was rebuilt": (
        "der Rotation fehlte W, das MRTK 2.6.0 bis 2.7.2 nicht aufnehmen; es wurde neu berechnet"
    ),
    "the rotation lacks W, as in the source, and MRTK plays it wrong; choose Repaired Rotations": (
        "der Rotation fehlt W wie in der Quelle, und MRTK spielt sie falsch ab; wählen Sie „Reparierte Rotation“"
    ),
    "a rotation of all zeros keeps the direction of the rotation before it": (
        "eine Rotation aus lauter Nullen behält die Richtung der Rotation davor"
    ),
    "a gaze without direction points nowhere": "ein Blick ohne Richtung zeigt nirgendwohin",
    (
        "neighbouring rotations have opposite signs but keys at different times, so the joint turns the long way, as "
        "in MRTK"
    ): (
        "benachbarte Rotationen haben entgegengesetzte Vorzeichen, aber Schlüsselbilder zu verschiedenen Zeiten; das "
        "Gelenk dreht sich den langen Weg, wie in MRTK"
    ),
    "no bone has the name of an MRTK joint, such as IndexTip.L; rename bones, or use the option Joint Names, or Sideless Hand where bones name no side": (
        "kein Knochen trägt den Namen eines MRTK-Gelenks wie IndexTip.L; benennen Sie Knochen um oder verwenden Sie "
        "die Option Gelenknamen, für Handknochen ohne Seite die Option Ohne Seite"
    ),
    "version 1.0 cannot hold the gaze; choose version 1.1, or the option Drop Gaze": (
        "Version 1.0 kann den Blick nicht fassen; wählen Sie Version 1.1 oder die Option „Blick weglassen“"
    ),
    "the gaze was left out, as version 1.0 cannot hold it": "der Blick fehlt, da Version 1.0 ihn nicht fassen kann",
    "the scale of a joint was left out, as recordings do not hold scale": (
        "die Skalierung eines Gelenks fehlt, da Aufnahmen keine kennen"
    ),
    "{wrist} and its hand have no keys any more, so MRTK does not show them": (
        "{wrist} und seine Hand haben keine Schlüsselbilder mehr, MRTK zeigt sie daher nicht"
    ),
    "everything was moved by {seconds:.6g} s, so that the recording begins at 0": (
        "alles wurde um {seconds:.6g} s verschoben, damit die Aufnahme bei 0 beginnt"
    ),
    "the file followed the public document; it is written in the layout that MRTK reads": (
        "die Datei folgte dem öffentlichen Dokument; sie wird in dem Aufbau geschrieben, den MRTK liest"
    ),
    (
        "version {version} was written, of sources of version {others}; MRTK up to 2.5 reads 1.0 alone, without the gaze: "
        "choose it as Version where that is to play the file"
    ): (
        "geschrieben wurde Version {version}, aus Quellen der Version {others}; MRTK bis 2.5 liest nur 1.0, ohne den "
        "Blick: dies ist als Version zu wählen, wo das die Datei abspielen soll"
    ),
    "curves were replaced by straight lines; largest error {millimetres:.2g} mm and {degrees:.2g} degrees": (
        "Kurven wurden durch Geraden ersetzt; größter Fehler {millimetres:.2g} mm und {degrees:.2g} Grad"
    ),
    (
        "{names}: too fast for straight lines, which are off by up to {millimetres:.3g} mm and {degrees:.3g} degrees; slow"
        " the motion down, or choose version 1.0, which has curves"
    ): (
        "{names}: zu schnell für Geraden, die um bis zu {millimetres:.3g} mm und {degrees:.3g} Grad abweichen;"
        " verlangsamen Sie die Bewegung oder wählen Sie Version 1.0, die Kurven hat"
    ),
    "the file has {size} bytes, more than the limit of {limit} bytes; raise it (Size in the add-on's preferences, or --limit-mib) to open it": (
        "die Datei hat {size} Bytes, mehr als die Grenze von {limit} Bytes; erhöhen Sie diese (Größe in den "
        "Einstellungen des Add-ons, oder --limit-mib), um sie zu öffnen"
    ),
    "chunk {kind:#x} claims {size} bytes, {left} are left; the file is cut short or damaged": (
        "Chunk {kind:#x} verlangt {size} Bytes, {left} sind übrig; die Datei ist abgeschnitten oder beschädigt"
    ),
    (
        "the last chunk, {kind:#x}, claims {size} bytes, {left} are left; the game reads such a file and it is kept as it is, but if it was cut short, get a complete copy"
    ): (
        "der letzte Abschnitt, {kind:#x}, gibt {size} Bytes an, {left} sind übrig; das Spiel liest eine solche Datei, "
        "und sie bleibt so; wurde sie abgeschnitten, besorgen Sie eine vollständige Kopie"
    ),
    "expected a header chunk inside; the engine refuses a chunk without one, the file is damaged": (
        "darin einen Kopf-Chunk erwartet; die Engine nimmt einen solchen Chunk nicht an, die Datei ist beschädigt"
    ),
    "a visibility channel has a float for a default, as a public document says; the game reads it otherwise": (
        "ein Sichtbarkeitskanal hat eine Kommazahl als Vorgabe, wie in einem öffentlichen Dokument; das Spiel liest "
        "sie anders"
    ),
    "a channel ends before it begins, or after the animation; what has no frame there is kept but not played": (
        "ein Kanal endet vor seinem Anfang oder nach der Animation; was dort kein Bild hat, bleibt erhalten, spielt aber nicht"
    ),
    "the place or turn at which a pivot rests is no number; it is kept and taken for none": (
        "Position oder Rotation, in der ein Pivot ruht, ist keine Zahl; sie bleibt erhalten und gilt als keine"
    ),
    (
        "a compressed channel has 16-bit fields and separate time codes, as a public document describes it; the game reads it differently"
    ): (
        "ein gepackter Kanal hat 16-Bit-Felder und getrennte Zeitmarken, wie in einem öffentlichen Dokument; das "
        "Spiel liest ihn anders"
    ),
    "a compressed channel of flavor {flavor} is kept but not played": (
        "ein gepackter Kanal der Art {flavor} wird behalten, aber nicht abgespielt"
    ),
    "a motion channel of version {version}, encoding {encoding} is kept but not played": (
        "ein Bewegungskanal der Version {version}, Kodierung {encoding} wird behalten, aber nicht abgespielt"
    ),
    "the skeleton counts {expected} pivots but holds {found}; the rest is missing": (
        "das Skelett zählt {expected} Pivots, enthält aber {found}; der Rest fehlt"
    ),
    ("{pivots} {pivots:pivot precedes its parent and is|pivots precede their parent and are} attached to the root"): (
        "{pivots} {pivots:Pivot steht nicht nach seinem|Pivots stehen nicht nach ihrem} Elternteil; "
        "{pivots:er hängt|sie hängen} stattdessen an der Wurzel"
    ),
    "the animation is for the skeleton {wanted}, {found} is used instead": (
        "die Animation ist für das Skelett {wanted}, stattdessen wird {found} verwendet"
    ),
    "the skeleton {name} was not found; bones without parents stand in for its pivots; choose a skeleton file to see the real pose": (
        "kein Skelett {name} gefunden; Knochen ohne Hierarchie stehen für seine Pivots; wählen Sie eine Skelettdatei, "
        "um es richtig zu sehen"
    ),
    "a skeleton file beside the animation was passed over: {reason}": (
        "eine Skelettdatei neben der Animation wurde übergangen: {reason}"
    ),
    "the chain of bones that ends in {name} has {depth} bones; Blender crashes on very long chains, so {limit} are the limit; divide the skeleton": (
        "die Kette der Knochen, die mit {name} endet, ist {depth} lang; an sehr langen stürzt Blender ab, "
        "{limit} werden genommen; teilen Sie das Skelett"
    ),
    "by its content this is no {format} file, or a damaged one; choose another": (
        "dem Inhalt nach ist das keine {format}-Datei, oder eine beschädigte; wählen Sie eine andere"
    ),
    "the file holds no skeleton; choose another Skeleton File": (
        "die Datei enthält kein Skelett; wählen Sie eine andere Skelettdatei"
    ),
    "the skeleton {name} was taken from {file}": "das Skelett {name} stammt aus {file}",
    "the skeleton file {file} is passed over, as this one needs no other's skeleton": (
        "die Skelettdatei {file} wird übergangen, da diese Datei kein anderes Skelett braucht"
    ),
    (
        "expected an animation or a skeleton, this W3D file holds neither (meshes: {meshes}, models: {models}, other "
        "chunks: {others}); choose the file with the animation"
    ): (
        "eine Animation oder ein Skelett erwartet, diese W3D-Datei enthält keines von beiden (Meshes: {meshes}, "
        "Modelle: {models}, andere Teile: {others}); wählen Sie die Datei mit der Animation"
    ),
    (
        "the animation is for the skeleton {wanted}, the file to save into is for {found}; "
        "choose another file or give the option Hierarchy"
    ): (
        "die Animation ist für das Skelett {wanted}, die Datei, in die gespeichert werden soll, für {found}; wählen "
        "Sie eine andere Datei oder geben Sie die Option „Hierarchie“ an"
    ),
    "the animation {name} was added beside {others}; only one of the same name is replaced": (
        "die Animation {name} kam neben {others} hinzu; ersetzt wird nur eine gleichen Namens"
    ),
    (
        "the game looks for the animation {name} in {name}.w3d and will not find it in {file}.w3d; "
        "give both one name of at most 15 characters"
    ): (
        "das Spiel sucht die Animation {name} in {name}.w3d und findet sie in {file}.w3d nicht; geben Sie beiden einen "
        "Namen von höchstens 15 Zeichen"
    ),
    "the file holds a skeleton but no animation": "die Datei enthält ein Skelett, aber keine Animation",
    (
        "the animation has {frames} {frames:frame|frames}, so First Frame and Frame Count ask for some that it has not; "
        "choose smaller numbers"
    ): (
        "die Animation hat {frames} {frames:Bild|Bilder}, also verlangen Erstes Bild und Bildanzahl welche, die "
        "sie nicht hat; wählen Sie kleinere Zahlen"
    ),
    "the format has whole frame rates only: {found:.6g} frames per second are written as {rate}": (
        "das Format kennt nur ganze Bildraten: die {found:.6g} Bilder je Sekunde werden als {rate} je Sekunde geschrieben"
    ),
    "the animation has no frame rate; 30 frames per second are assumed": (
        "die Animation nennt keine Bilder pro Sekunde; 30 werden angenommen"
    ),
    "the morph animation {name} is kept but not played": (
        "die Morph-Animation {name} wird behalten, aber nicht abgespielt"
    ),
    (
        "{channels} {channels:channel is|channels are} for pivots that the skeleton does not have; the game "
        "drops {channels:it, so it is|them, so they are} not played"
    ): (
        "{channels} {channels:Kanal ist|Kanäle sind} für Pivots, die das Skelett nicht hat; das Spiel "
        "verwirft {channels:ihn, daher wird er|sie, daher werden sie} nicht abgespielt"
    ),
    (
        "{channels} {channels:channel is|channels are} for the root pivot, which the game never animates; "
        "{channels:it is|they are} not played"
    ): (
        "{channels} {channels:Kanal ist|Kanäle sind} für den Wurzelpivot, den das Spiel nie animiert; "
        "{channels:er wird|sie werden} nicht abgespielt"
    ),
    "{channels} {channels:channel is|channels are} not played, as another channel moves the same": (
        "{channels} {channels:Kanal wird|Kanäle werden} nicht abgespielt, da ein anderer dasselbe bewegt"
    ),
    "{channels} Euler {channels:channel is|channels are} not played, as in the game": (
        "{channels} {channels:Euler-Kanal wird|Euler-Kanäle werden} wie im Spiel nicht abgespielt"
    ),
    (
        "{channels} {channels:channel|channels} of type {type} with {width} numbers a key "
        "{channels:means|mean} nothing to the game"
    ): (
        "{channels} {channels:Kanal|Kanäle} der Art {type} mit {width} Zahlen je Schlüsselbild "
        "{channels:bedeutet|bedeuten} dem Spiel nichts"
    ),
    (
        "{channels} {channels:channel has|channels have} no key on frame 0, on which the game hangs; the "
        "first key is held"
    ): (
        "{channels} {channels:Kanal hat|Kanäle haben} kein Schlüsselbild auf Bild 0, wobei das Spiel hängen bleibt; "
        "das erste wird gehalten"
    ),
    "{channels} {channels:channel has|channels have} keys out of order; they are sorted": (
        "{channels} {channels:Kanal hat|Kanäle haben} ungeordnete Schlüsselbilder; sie werden sortiert"
    ),
    "{keys} {keys:rotation is|rotations are} all zeros; {keys:it is|they are} played as no rotation": (
        "{keys} {keys:Rotation hat|Rotationen haben} keine Richtung; {keys:sie wird|sie werden} als keine Rotation "
        "abgespielt"
    ),
    "a value does not fit its field in the file: {reason}": "ein Wert passt nicht in sein Feld der Datei: {reason}",
    "expected AnimX or the JSON of AnimJ; choose an .animx or .animj file": (
        "AnimX oder das JSON von AnimJ erwartet; wählen Sie eine Datei .animx oder .animj"
    ),
    "expected version 0 or 1, found {version}; no release of the engine reads that, export it again": (
        "Version 0 oder 1 erwartet, {version} gefunden; keine Ausgabe der Engine liest das, exportieren Sie neu"
    ),
    "expected an encoding of 0 (plain), 1 (LZ4) or 2 (LZMA), found {encoding}; the file is damaged": (
        "Kodierung 0 (keine), 1 (LZ4) oder 2 (LZMA) erwartet, {encoding} gefunden; die Datei ist beschädigt"
    ),
    "expected a track type of 0 (Raw), 1 (Discrete) or 2 (Curve), found {found}; the file is damaged": (
        "Spurart 0 (Raw), 1 (Discrete) oder 2 (Curve) erwartet, {found} gefunden; die Datei ist beschädigt"
    ),
    "a track has the type Bezier, which the engine names but cannot read; export it again as a Curve": (
        "eine Spur hat die Art Bezier, die die Engine nennt, aber nicht lesen kann; exportieren Sie sie neu als Curve"
    ),
    "expected a value type of 0 to 39, found {found}; the file is damaged": (
        "einen Wertetyp von 0 bis 39 erwartet, {found} gefunden; die Datei ist beschädigt"
    ),
    "the data expand to {size} bytes or more, the limit is {limit} bytes; raise it (Size in the add-on's preferences, or --limit-mib) to open it": (
        "die Daten werden ausgepackt {size} Bytes oder mehr, die Grenze ist {limit} Bytes; erhöhen Sie diese "
        "(Größe in den Einstellungen des Add-ons, oder --limit-mib), um sie zu öffnen"
    ),
    "expected {expected} bytes after unpacking, found {found}; the file is cut short, get a complete copy": (
        "{expected} Bytes nach dem Auspacken erwartet, {found} gefunden; die Datei ist abgeschnitten, besorgen Sie "
        "eine vollständige Kopie"
    ),
    "expected LZ4 data; the file is damaged, get a complete copy": (
        "LZ4-Daten erwartet; die Datei ist beschädigt, besorgen Sie eine vollständige Kopie"
    ),
    "expected LZ4 chunk flags of 0 to 3, found {flags} ({passes} {passes:pass|passes}); the file is damaged": (
        "LZ4-Schalter von 0 bis 3 erwartet, {flags} gefunden ({passes} {passes:Durchgang|Durchgänge}); die Datei ist beschädigt"
    ),
    "expected an LZ4 frame of version 1 without a dictionary; pack the file again": (
        "einen LZ4-Rahmen der Version 1 ohne Wörterbuch erwartet; packen Sie die Datei neu"
    ),
    "expected LZMA properties below 225, found {properties}; the file is damaged": (
        "LZMA-Eigenschaften unter 225 erwartet, {properties} gefunden; die Datei ist beschädigt"
    ),
    "expected LZMA data; the file is damaged, get a complete copy": (
        "LZMA-Daten erwartet; die Datei ist beschädigt, besorgen Sie eine vollständige Kopie"
    ),
    "the version is one byte, as in the public document; the engine itself refuses such a file": (
        "die Version ist ein Byte wie im öffentlichen Dokument; die Engine selbst weist eine solche Datei zurück"
    ),
    "the tracks are an LZ4 frame, which the engine does not read; they are written the way it reads them": (
        "die Spuren sind ein LZ4-Rahmen, den die Engine nicht liest; sie werden geschrieben, wie sie es verlangt"
    ),
    "the tracks are LZ4 where the file says LZMA, as in the public document; the engine refuses that": (
        "die Spuren sind LZ4, wo die Datei LZMA sagt, wie im öffentlichen Dokument; die Engine weist das zurück"
    ),
    "unknown interpolation {found}; {taken} is used instead": (
        "die Interpolation {found} kennt die Engine nicht; {taken} gilt stattdessen"
    ),
    "the track {node} {property} has no keys, which is said to crash the engine; it is left out of the curves": (
        "die Spur {node} {property} hat keine Schlüsselbilder, woran die Engine abstürzen soll; sie fehlt in den Kurven"
    ),
    "a name or text is not valid UTF-8; its bytes are kept, question marks are shown": (
        "ein Name oder Text ist kein UTF-8; die Bytes werden behalten, Fragezeichen gezeigt"
    ),
    "{node} {property} occurs more than once in the file; the first plays, the others are kept": (
        "{node} {property} steht doppelt in der Datei; das erste wird abgespielt, die anderen werden behalten"
    ),
    "the custom property {property} of {node} is left out, as an animated field has its name; rename it": (
        "die Eigenschaft {property} von {node} heißt wie ein Feld, das auch animiert ist, und fehlt; benennen Sie sie um"
    ),
    "the keys of {node} {property} lie an interval of {interval} apart; only the first is shown": (
        "die Schlüsselbilder von {node} {property} liegen {interval} auseinander; nur das erste wird gezeigt"
    ),
    (
        "The markers are others than the file's texts, or lie elsewhere beside its keys, and the file keeps its own texts"
        " and their times all the same; edit its string tracks in the file itself"
    ): (
        "Die Marker sind andere als die Texte der Datei oder liegen anders zu den Schlüsselbildern, und die Datei behält "
        "trotzdem ihre eigenen Texte und deren Zeiten; ihre Textspuren lassen sich nur in der Datei selbst ändern"
    ),
    "the texts of {node} {property} cannot be animated; they become markers": (
        "die Texte von {node} {property} lassen sich nicht animieren; sie werden zu Markern"
    ),
    "{node} turns the long way round between neighbouring rotations, as in the engine": (
        "{node} dreht sich zwischen benachbarten Rotationen den langen Weg, wie in der Engine"
    ),
    (
        "{tracks} {tracks:track has a name under which the engine finds no field, so it comes|tracks have names "
        "under which the engine finds no field, so they come} last ({names}); drive {tracks:its field|their "
        "fields} by reference, or leave {tracks:it|them} out by the option Extra Tracks"
    ): (
        "{tracks} {tracks:Spur hat einen Namen, unter dem die Engine kein Feld findet, und steht|Spuren haben Namen, "
        "unter denen die Engine kein Feld findet, und stehen} deshalb zuletzt ({names}); steuern Sie {tracks:ihr "
        "Feld|ihre Felder} per Verweis, oder lassen Sie sie mit der Option „Mehr Spuren“ weg"
    ),
    (
        "{tracks} {tracks:track under whose name the engine finds no field is|tracks under whose names the engine"
        " finds no field are} left out, as asked ({names})"
    ): (
        "{tracks} {tracks:Spur, unter deren|Spuren, unter deren} Namen die Engine kein Feld findet, "
        "{tracks:ist|sind} wie verlangt weggelassen ({names})"
    ),
    "while {node} is not Active the engine hides what hangs on it, too, which Blender shows: {names}; hide these by the "
    "same keys, or let them hang on something else": (
        "solange {node} nicht Active ist, verbirgt die Engine auch, was daran hängt und in Blender zu sehen ist: "
        "{names}; verbergen Sie dies durch dieselben Schlüsselbilder, oder hängen Sie es an etwas anderes"
    ),
    "{node} is hidden at other times in renders than in the viewport; Active follows the viewport, the renders are left "
    "out": (
        "{node} ist in Renderbildern zu anderen Zeiten verborgen als im Viewport; Active folgt dem Viewport, die "
        "Renderbilder fehlen"
    ),
    "two nodes are called {name}, the second is written as {other}; give them different names and export the model "
    "again": (
        "zwei Knoten heißen {name}, der zweite wird als {other} geschrieben; geben Sie ihnen verschiedene Namen und "
        "exportieren Sie das Modell neu"
    ),
    "expected pairs such as Hips=Root separated by semicolons, found {found}": (
        "Paare wie Hips=Root, durch Semikolon getrennt, erwartet, {found} gefunden"
    ),
    (
        "{properties} {properties:rotation turns|rotations turn} the long way, as in Blender, where the signs of "
        "neighbouring keys are opposite; {keys} {keys:key was|keys were} added for that; give these keys one sign"
        " for the short way"
    ): (
        "{properties} {properties:Rotation nimmt|Rotationen nehmen} wie in Blender den langen Weg, wo benachbarte"
        " Schlüsselbilder entgegengesetzte Vorzeichen haben; {keys} {keys:Schlüsselbild kam|Schlüsselbilder "
        "kamen} dafür hinzu; mit gleichen Vorzeichen wird es der kurze Weg"
    ),
    (
        "{keys} {keys:key was|keys were} added where handles had to be fitted to thirds ({names}); largest error {percent:.2g} % of a curve's range"
    ): (
        "{keys} {keys:Schlüsselbild kam|Schlüsselbilder kamen} hinzu, wo Griffe auf Drittel gebracht werden "
        "mussten ({names}); größter Fehler {percent:.2g} % des Bereichs einer Kurve"
    ),
    "curves were replaced by straight lines; largest error {percent:.2g} % of a curve's range": (
        "Kurven wurden durch Geraden ersetzt; größter Fehler {percent:.2g} % des Bereichs einer Kurve"
    ),
    (
        "{properties} {properties:property moves|properties move} faster than can be seen; {properties:it is|they"
        " are} written with 12 keys per frame, off by up to {percent:.2g} % of {properties:its|their} range"
    ): (
        "{properties} {properties:Eigenschaft bewegt|Eigenschaften bewegen} sich schneller, als jemand sieht; "
        "{properties:sie hat|sie haben} 12 Schlüsselbilder für jedes Bild und {properties:weicht|weichen} "
        "höchstens um {percent:.2g} % ihres Bereichs ab"
    ),
    "{name} moves faster than {most:.0f} keys a second can follow; it is off by up to {percent:.2g} % of its range; slow it down for an exact result": (
        "{name} bewegt sich schneller, als {most:.0f} Schlüsselbilder in der Sekunde folgen können; es weicht um "
        "höchstens {percent:.2g} % seines Bereichs ab; langsamer bewegt wird es genau"
    ),
    "{property} of {node} means nothing to the engine and is left out": (
        "{property} von {node} bedeutet der Engine nichts und fehlt"
    ),
    "the focal length of {node} is sampled as the vertical field of view of the picture that the scene renders": (
        "die Brennweite von {node} wird als senkrechtes Sichtfeld des Bildes abgetastet, das die Szene rendert"
    ),
    "{node} {property} holds matrices, which the engine reads from AnimX only": (
        "{node} {property} enthält Matrizen, die die Engine nur aus AnimX liest"
    ),
    "expected JSON, which has no comments and no comma before a bracket that closes; mend the text there, or get a complete copy": (
        "JSON erwartet, das keine Kommentare und vor einer schließenden Klammer kein Komma hat; bessern Sie den Text an dieser Stelle oder besorgen Sie eine vollständige Kopie"
    ),
    "expected numbers of at most {limit} digits; export the file again": (
        "Zahlen von höchstens {limit} Ziffern erwartet; exportieren Sie die Datei neu"
    ),
    "{name} is not a valid JSON number; export the file again without it": (
        "{name} ist in JSON keine Zahl; exportieren Sie die Datei ohne sie neu"
    ),
    "expected {expected}, found {found}; export the file again": (
        "{expected} erwartet, {found} gefunden; exportieren Sie die Datei neu"
    ),
    "expected the key {key}; export the file again": "den Schlüssel {key} erwartet; exportieren Sie die Datei neu",
    "expected Raw, Discrete or Curve, found {found}; export the file again": (
        "Raw, Discrete oder Curve erwartet, {found} gefunden; exportieren Sie die Datei neu"
    ),
    "expected a type such as float3 or floatQ, found {found}; export the file again": (
        "einen Typ wie float3 oder floatQ erwartet, {found} gefunden; exportieren Sie die Datei neu"
    ),
    "expected a whole number from {low} to {high}, found {found}; export the file again": (
        "eine ganze Zahl von {low} bis {high} erwartet, {found} gefunden; exportieren Sie die Datei neu"
    ),
    "unknown interpolation {found}; Linear is used instead": (
        "die Interpolation {found} kennt die Engine nicht; Linear gilt stattdessen"
    ),
    "the key {key} means nothing to the engine and is ignored; a changed file is written without it": (
        "der Schlüssel {key} bedeutet der Engine nichts und wird übergangen; eine geänderte Datei wird ohne ihn geschrieben"
    ),
    "a track does not begin with trackType, valueType, data; the engine may refuse the file": (
        "eine Spur beginnt nicht mit trackType, valueType, data; die Engine kann die Datei zurückweisen"
    ),
    "a colour has a profile, which the engine does not take in AnimJ; its numbers are used as they are": (
        "eine Farbe hat ein Profil, das die Engine in AnimJ nicht annimmt; ihre Zahlen werden genommen, wie sie sind"
    ),
    "a key whose time or value is not a finite number was left out ({node} {property})": (
        "ein Schlüsselbild, dessen Zeit oder Wert keine endliche Zahl ist, fehlt ({node} {property})"
    ),
    "keys that were not in order of time were sorted": (
        "Schlüsselbilder, die nicht nach der Zeit geordnet waren, wurden sortiert"
    ),
    "a segment with an infinite handle was made constant": "ein Abschnitt mit unendlichem Griff wurde konstant",
    "a value beyond the range of single precision was limited": (
        "ein Wert jenseits der einfachen Genauigkeit wurde begrenzt"
    ),
    (
        "{tracks} {tracks:channel was|channels were} worked out anew, as {tracks:its|their} parents differ; error between the "
        "new keys at most {place:.3g} mm, {degrees:.2g} degrees"
    ): (
        "{tracks} {tracks:Kanal wurde|Kanäle wurden} neu berechnet, da {tracks:sein|ihre} Eltern sich "
        "unterscheiden; Fehler zwischen den neuen Schlüsselbildern höchstens {place:.3g} mm, {degrees:.2g} Grad"
    ),
    (
        "{names}: too fast for samples; between them the pose is off by up to {place:.3g} mm and {degrees:.2g} degrees; slow"
        " the motion down or raise the frame rate"
    ): (
        "{names}: zu schnell zum Abtasten; zwischen den Werten weicht die Pose um bis zu {place:.3g} mm und {degrees:.2g} Grad"
        " ab; verlangsamen Sie die Bewegung oder erhöhen Sie die Bildrate"
    ),
    (
        "{tracks} {tracks:channel was|channels were} worked out on each frame, as {tracks:its|their} parents move differently"
        " or have a size that the file cannot say"
    ): (
        "{tracks} {tracks:Kanal wurde|Kanäle wurden} auf jedem Bild berechnet, da {tracks:seine|ihre} Eltern"
        " sich anders bewegen oder eine Größe haben, die die Datei nicht sagen kann"
    ),
    (
        "{name}: {keys} {keys:key was|keys were} added where weighted handles had to be fitted again; largest error"
        " {percent:.2g} % of a curve's range"
    ): (
        "{name}: {keys} {keys:Schlüsselbild kam|Schlüsselbilder kamen} hinzu, wo gewichtete Griffe neu angepasst"
        " werden mussten; größter Fehler {percent:.2g} % des Bereichs einer Kurve"
    ),
    "a repeating curve was held instead, as it had to be joined with curves of another length": (
        "eine sich wiederholende Kurve wird gehalten, da sie mit Kurven anderer Länge verbunden werden musste"
    ),
    "repeating curves joined with curves of another length were written out to the animation's end": (
        "sich wiederholende Kurven wurden so weit ausgeschrieben, wie die Animation reicht, wo sie mit Kurven anderer "
        "Länge verbunden werden"
    ),
    (
        "the shear of {node} cannot be kept, only its location, rotation and scale; its axes are off by up to"
        " {degrees:.2g} degrees"
    ): (
        "die Scherung von {node} geht verloren, nur Position, Rotation und Skalierung bleiben; die Achsen weichen um "
        "bis zu {degrees:.2g} Grad ab"
    ),
    "Importing needs a scene with a view layer": "Zum Importieren braucht es eine Szene mit einer Ansichtsebene",
    "Nothing to export: the scene has no armature; import one or add one": (
        "Nichts zu exportieren: die Szene hat kein Skelett; importieren Sie eines oder fügen Sie eines hinzu"
    ),
    "Nothing to export: select an object with bones, animation or shape keys": (
        "Nichts zu exportieren: wählen Sie ein Objekt mit Knochen, Animation oder Formschlüsseln aus"
    ),
    "the scene has several armatures ({names}) and none of them is selected; select what is to be exported": (
        "die Szene hat mehrere Skelette ({names}), und keines ist ausgewählt; wählen Sie aus, was zu exportieren ist"
    ),
    (
        "a file of this format holds one armature, and several are chosen ({names}); select one of them, or choose One "
        "File Each for Armatures"
    ): (
        "eine Datei dieses Formats enthält ein Skelett, und es sind mehrere gewählt ({names}); wählen Sie eines davon, "
        "oder „Je eine Datei“ bei „Skelette“"
    ),
    (
        "nothing that is chosen moves ({names}): it has no keys, NLA strips, drivers or constraints that a file can "
        "hold; select what is animated, key its pose, or bake its simulation to keyframes first"
    ): (
        "nichts Gewähltes bewegt sich ({names}): es hat keine Schlüsselbilder, NLA-Streifen, Treiber oder "
        "Beschränkungen, die in eine Datei passen; wählen Sie aus, was animiert ist, oder setzen Sie zuerst "
        "Schlüsselbilder für die Pose oder machen Sie welche aus der Simulation"
    ),
    (
        "nothing of what is animated has a place in a file of this format; choose another format or select what it can "
        "hold"
    ): (
        "nichts Animiertes hat in einer Datei dieses Formats Platz; wählen Sie ein anderes Format oder aus, was es "
        "enthalten kann"
    ),
    (
        "{number} animated {number:bone or object is left out, as it is no joint and moves|bones or objects "
        "are left out, as they are not joints and move} none: {names}"
    ): (
        "{number} {number:animierter Knochen oder animiertes Objekt ist kein Gelenk, trägt keines und "
        "fehlt|animierte Knochen oder Objekte sind keine Gelenke, tragen keine und fehlen}: {names}"
    ),
    (
        "{number} animated {number:property is|properties are} left out, as recordings cannot hold "
        "{number:it|them}: {names}"
    ): (
        "{number} animierte {number:Eigenschaft fehlt|Eigenschaften fehlen}, da Aufnahmen keine solchen haben: {names}"
    ),
    (
        "{values} animated {values:value|values} of other objects {values:is|are} left out, as the file holds"
        " one armature: {names}"
    ): (
        "{values} {values:animierter Wert|animierte Werte} anderer Objekte {values:fehlt|fehlen}, da die "
        "Datei ein Skelett enthält: {names}"
    ),
    (
        "{values} animated {values:value|values} that {values:hides|hide} meshes {values:is|are} left out, as other keys"
        " decide whether their bones are seen, or as {values:it plays|they play} with another Action: {names}"
    ): (
        "{values} {values:animierter Wert|animierte Werte}, {values:der|die} Meshes {values:versteckt|verstecken}, "
        "{values:fehlt|fehlen}, da andere Schlüsselbilder entscheiden, ob ihre Knochen zu sehen sind, oder da "
        "{values:er|sie} mit einer anderen Aktion {values:spielt|spielen}: {names}"
    ),
    (
        "{values} animated {values:value|values} of what collection instances show {values:is|are} left out; make them "
        "real by Object > Apply > Make Instances Real: {names}"
    ): (
        "{values} {values:animierter Wert|animierte Werte} dessen, was Sammlungsinstanzen zeigen, "
        "{values:fehlt|fehlen}; machen Sie sie mit Objekt > Anwenden > Instanzen real machen zu Objekten: {names}"
    ),
    (
        "{values} animated {values:value|values} of constraints that do not show in the pose {values:is|are} "
        "left out, as the file has no place for {values:it|them}: {names}"
    ): (
        "{values} {values:animierter Wert|animierte Werte} von Beschränkungen, die in der Pose nicht zu sehen sind, "
        "{values:fehlt|fehlen}, da die Datei keinen Platz dafür hat: {names}"
    ),
    (
        "{values} animated {values:value|values} {values:is|are} left out, as the file has no place for"
        " {values:it|them}: {names}"
    ): (
        "{values} {values:animierter Wert|animierte Werte} {values:fehlt|fehlen}, da die Datei keinen Platz dafür hat: "
        "{names}"
    ),
    (
        "{values} rotation {values:channel plays|channels play} nothing and {values:is|are} not written, as the rotation mode "
        "there is another: {names}"
    ): (
        "{values} {values:Rotationskanal spielt|Rotationskanäle spielen} nichts und {values:wird|werden} nicht "
        "geschrieben, da der Rotationsmodus dort ein anderer ist: {names}"
    ),
    (
        "{values} {values:curve leads|curves lead} to bones or properties that are not there, and "
        "{values:is|are} left out: {names}"
    ): (
        "{values} {values:Kurve führt|Kurven führen} zu Knochen oder Eigenschaften, die es nicht gibt, und "
        "{values:fehlt|fehlen}: {names}"
    ),
    "Armatures": "Skelette",
    "What happens where more than one armature is chosen": "Was geschieht, wenn mehr als ein Skelett gewählt ist",
    "One File": "Eine Datei",
    "All in one file; refused where the format holds one armature only": (
        "Alle in eine Datei; wird abgelehnt, wenn das Format nur ein Skelett enthalten kann"
    ),
    "One File Each": "Je eine Datei",
    "A file for each armature, named after it": "Eine Datei für jedes Skelett, nach ihm benannt",
    "No file is chosen; choose one or more files": "Es ist keine Datei gewählt; wählen Sie eine oder mehrere",
    "expected a table of names saved by this add-on (JSON)": (
        "eine von diesem Add-on gespeicherte Namenstabelle (JSON) erwartet"
    ),
    "this is a file of the format {found}, not {wanted}; import it with the command for {found}": (
        "dies ist eine Datei im Format {found}, nicht {wanted}; importieren Sie sie mit dem Befehl für {found}"
    ),
    "{name}: {percent} % (ESC takes everything back)": "{name}: {percent} % (ESC nimmt alles zurück)",
    "{percent} %, {done} of {total} files: {name} (ESC stops and takes this file back)": (
        "{percent} %, {done} von {total} Dateien: {name} (ESC hält an und nimmt diese Datei zurück)"
    ),
    "Stopping; what is not complete is taken back": "Wird angehalten; was nicht fertig ist, wird zurückgenommen",
    "Stopped; everything is as it was before": "Angehalten; alles ist wie zuvor",
    "Stopped; files that were complete stay, of the others there is no part": (
        "Angehalten; fertige Dateien bleiben, von den anderen gibt es kein Stück"
    ),
    (
        "its NLA strip would go from frame {first:.0f} to {last:.0f}, and scenes end at {limit}; "
        "choose another start frame or another scene, or None for NLA"
    ): (
        "ihr NLA-Streifen ginge von Bild {first:.0f} bis {last:.0f}, und Szenen enden bei {limit}; wählen Sie ein "
        "anderes Startbild oder eine andere Szene, oder Nichts für NLA"
    ),
    "something that this needs was meanwhile removed or renamed elsewhere, as by a script; try again": (
        "etwas, das hierfür nötig ist, hat inzwischen ein Skript oder ein anderes Fenster entfernt "
        "oder umbenannt; "
        "versuchen Sie es noch einmal"
    ),
    "Nothing was imported": "Nichts wurde importiert",
    "Stopped after {done} of {total} {total:file|files}; undo removes what was imported": (
        "Angehalten nach {done} von {total} {total:Datei|Dateien}; Rückgängig entfernt, was importiert ist"
    ),
    "{file} is not an MRTK recording": "{file} ist keine MRTK-Aufnahme",
    "{file} is not a W3D file": "{file} ist keine W3D-Datei",
    "{file} is not a W3X file": "{file} ist keine W3X-Datei",
    "{file} is neither AnimX nor AnimJ": "{file} ist weder AnimX noch AnimJ",
    "OK": "OK",
    "Cancel": "Abbrechen",
    "None of these {count} files can be imported": "Keine dieser {count} Dateien lässt sich importieren",
    "Its content is of the format {found}; import it as that?": "Der Inhalt hat das Format {found}; so importieren?",
    "{line}; more in Text '{text}'": "{line}; mehr im Text „{text}“",
    "The Text '{text}' is not there any more; import or export again for a new one": (
        "Den Text „{text}“ gibt es nicht mehr; ein neuer Import oder Export schreibt einen neuen"
    ),
    "Open the Report": "Bericht öffnen",
    "Open this report in a text editor, or in a new window if there is none": (
        "Diesen Bericht in einem Texteditor öffnen, oder in einem neuen Fenster, falls keiner da ist"
    ),
    "Reports": "Berichte",
    "Last Export": "Letzter Export",
    "and {count} more": "und {count} weitere",
    "Report of This File": "Bericht zu dieser Datei",
    "Import Report": "Importbericht",
    "Export": "Exportieren",
    "Export Report": "Exportbericht",
    "Clear Kept Files": "Behaltene Dateien löschen",
    "Remove the Texts with imported files whose Actions are gone; undo brings them back": (
        "Die Texte mit importierten Dateien entfernen, deren Aktionen nicht mehr da sind; Rückgängig holt sie zurück"
    ),
    "Unused Actions Too": "Auch unbenutzte Aktionen",
    "Also remove imported Actions that nothing plays, with the files that are kept for them": (
        "Auch importierte Aktionen entfernen, die nichts abspielt, mit den für sie behaltenen Dateien"
    ),
    "Clear": "Löschen",
    "{count} kept file": "{count} behaltene Datei",
    "{count} kept files": "{count} behaltene Dateien",
    "{what} ({size})": "{what} ({size})",
    "{told} in this .blend; files on disk stay": "{told} in dieser .blend; Dateien auf der Platte bleiben",
    "Cleared {told}: {names}": "{told} gelöscht: {names}",
    "Every kept file still belongs to an Action; nothing to clear": (
        "Jede behaltene Datei gehört noch zu einer Aktion; nichts zu löschen"
    ),
    "{kilobytes:.1f} KB": "{kilobytes:.1f} KB",
    "{megabytes:.1f} MB": "{megabytes:.1f} MB",
    "unknown kind": "unbekannte Art",
    "of the first {count}:": "von den ersten {count}:",
    "Limits of imports and exports": "Grenzen von Importen und Exporten",
    "Defaults for imports": "Vorgaben für Importe",
    "After an import or export": "Nach einem Import oder Export",
    "Where skeletons, models and textures are looked for": "Wo Skelette, Modelle und Texturen gesucht werden",
    "{count} hand": "{count} Hand",
    "{count} hands": "{count} Hände",
    "{count} joint": "{count} Gelenk",
    "{count} joints": "{count} Gelenke",
    "{count} animation": "{count} Animation",
    "{count} animations": "{count} Animationen",
    "{count} pivot": "{count} Pivot",
    "{count} pivots": "{count} Pivots",
    "{count} node": "{count} Knoten",
    "{count} nodes": "{count} Knoten",
    "{count} track": "{count} Spur",
    "{count} tracks": "{count} Spuren",
    "{count} key": "{count} Schlüsselbild",
    "{count} keys": "{count} Schlüsselbilder",
    "{count} mesh": "{count} Mesh",
    "{count} meshes": "{count} Meshes",
    "{count} Action": "{count} Aktion",
    "{count} Actions": "{count} Aktionen",
    "{count} warning": "{count} Warnung",
    "{count} warnings": "{count} Warnungen",
    "{seconds} s": "{seconds} s",
    "no animation": "keine Animation",
    "{done} of {total} files": "{done} von {total} Dateien",
    "{count} skipped (see Text '{text}')": "{count} übersprungen (siehe Text „{text}“)",
    "{name} stands again where the file has it, as the place to which it was moved is in its motion there; its other "
    "Actions play from there, too": (
        "{name} steht wieder, wo die Datei es hat, da der Ort, an den es verschoben wurde, dort in seiner Bewegung ist; "
        "auch seine anderen Aktionen spielen von dort aus"
    ),
    "{number} NLA {number:strip begins|strips begin} later, as the one before needs the room: {names}": (
        "{number} NLA-Streifen {number:beginnt|beginnen} später, da der davor den Platz braucht: {names}"
    ),
    "The scene's rate is now {rate} frames per second": "Die Rate der Szene ist jetzt {rate} Bilder pro Sekunde",
    "Blender did not enter Edit Mode for the new armature; leave the mode you are in and import again": (
        "Blender ging für das neue Skelett nicht in den Bearbeitungsmodus; verlassen Sie den jetzigen Modus und "
        "importieren Sie noch einmal"
    ),
    "The target Selected Armature needs an active armature; select one or choose another target": (
        "Das Ziel „Ausgewähltes Skelett“ braucht ein aktives Skelett; wählen Sie eines aus oder wählen Sie ein anderes "
        "Ziel"
    ),
    "The armature {name} is linked from another file; make a library override of it first": (
        "Das Skelett {name} ist aus einer anderen Datei verknüpft; machen Sie zuerst eine Bibliotheksüberschreibung "
        "daraus"
    ),
    "No bone or object has a name of this file; choose another target": (
        "Kein Knochen oder Objekt trägt einen Namen dieser Datei; wählen Sie ein anderes Ziel"
    ),
    "Nothing in the file animates {name}": "Nichts in der Datei animiert {name}",
    "Made the armature {name}": "Skelett {name} angelegt",
    (
        "The file names no parents, so the {bones} bones of {name} rest in one place and only move apart as it plays; "
        "to move a model, select its armature and import again"
    ): (
        "Die Datei nennt keine Eltern, deshalb ruhen die {bones} Knochen von {name} an einer Stelle und entfernen "
        "sich erst beim Abspielen voneinander; um ein Modell zu bewegen, wählen Sie dessen Skelett aus und "
        "importieren Sie noch einmal"
    ),
    "{name} was taken, as it is selected": "{name} wurde genommen, weil es ausgewählt ist",
    "{name} was taken, as it moves what is selected": "{name} wurde genommen, weil es Ausgewähltes bewegt",
    "{name} was taken, as it has the name of the file's skeleton": (
        "{name} wurde genommen, weil es heißt wie das Skelett der Datei"
    ),
    "A new armature was made: none is selected, deforms the selection or has the skeleton's name": (
        "Ein neues Skelett wurde angelegt: keines ist ausgewählt, verformt die Auswahl oder heißt wie das der Datei"
    ),
    (
        "It is new, as nothing moves in the file, and its skeleton is not that of {name}; choose the target Selected "
        "Armature to use that"
    ): (
        "Es ist neu, weil sich in der Datei nichts bewegt und ihr Skelett nicht das von {name} ist; wählen Sie das Ziel "
        "„Ausgewähltes Skelett“, um jenes zu nehmen"
    ),
    "It is new, as the file has a model of its own; choose the target Selected Armature to use {name}": (
        "Es ist neu, weil die Datei ihr eigenes Modell hat; wählen Sie das Ziel „Ausgewähltes Skelett“, um {name} zu nehmen"
    ),
    (
        "It is new, as {matched} of {total} names match {name}; "
        "choose the target Selected Armature, or give a name table, to use that"
    ): (
        "Es ist neu, weil {matched} von {total} Namen zu {name} passen; wählen Sie das Ziel „Ausgewähltes "
        "Skelett“, oder geben Sie eine Namenstabelle an, um jenes zu nehmen"
    ),
    "It is new, as {name} is linked from another file; make a library override of that to use it": (
        "Es ist neu, weil {name} aus einer anderen Datei verknüpft ist; machen Sie davon eine Bibliotheksüberschreibung, "
        "um es zu nehmen"
    ),
    "Animated {name}: {matched} of {total} names match": "{name} animiert: {matched} von {total} Namen passen",
    (
        "{total:The only animated name of the file is not that of a bone of {name}; say which bone it means|"
        "None of the {total} animated names of the file is that of a bone of {name}; say which bones they mean} by Match Names "
        "in the panel Origin while the file's Action is assigned, or give a name table"
    ): (
        "{total:Der einzige animierte Name der Datei ist nicht der eines Knochens von {name}; sagen Sie, während die Aktion "
        "der Datei zugewiesen ist, mit „Namen zuordnen“ im Panel „Herkunft“, welchen Knochen er meint,|Keiner der {total} "
        "animierten Namen der Datei ist der eines Knochens von {name}; sagen Sie, während die Aktion der Datei zugewiesen "
        "ist, mit „Namen zuordnen“ im Panel „Herkunft“, welche Knochen sie meinen,} oder geben Sie eine Namenstabelle an"
    ),
    (
        "{number} animated {number:name has no bone or chosen object and is|names have no bone or chosen object and are} "
        "left out: {names}"
    ): (
        "{number} {number:animierter Name hat|animierte Namen haben} keinen Knochen und kein gewähltes Objekt und "
        "{number:fehlt|fehlen}: {names}"
    ),
    "No file of a format that can be imported": "Datei eines unbekannten Formats",
    "Add Game Folder": "Ordner hinzufügen",
    "Choose a folder of a game or mod, which is added to those that are there": (
        "Einen Ordner eines Spiels oder einer Mod wählen, der zu den vorhandenen hinzukommt"
    ),
    "Selectable Models": "Modelle wählbar",
    "Clicks in the 3D view select the meshes; off, they go through to the bones": (
        "Klicks in der 3D-Ansicht wählen die Meshes aus; ausgeschaltet gehen sie durch sie hindurch zu den Knochen"
    ),
    (
        "{number} {number:bone|bones} of {name} {number:stays|stay} visible where the file hides {number:it|them}, as "
        "no import made {name}; custom properties say when"
    ): (
        "{number} {number:Knochen|Knochen} von {name} {number:bleibt|bleiben} sichtbar, wo die Datei {number:ihn|sie} "
        "ausblendet, da kein Import {name} angelegt hat; benutzerdefinierte Eigenschaften sagen, wann"
    ),
    "The rotation mode of a bone or object is now Quaternion, as the file's curves need": (
        "Der Rotationsmodus eines Knochens oder Objekts ist jetzt Quaternion, wie es die Kurven der Datei brauchen"
    ),
    "The armature rests or stands otherwise than in the file; the motion is converted": (
        "Das Skelett ruht oder steht anders als in der Datei; die Bewegung wird umgerechnet"
    ),
    "{name} does not stand where the file has it, and plays the motion from where it stands; Other Rigs: Exact Place "
    "plays it where the file has it": (
        "{name} steht nicht, wo die Datei es hat, und spielt die Bewegung von dort aus, wo es steht; Andere Rigs: Genauer "
        "Ort spielt sie, wo die Datei sie hat"
    ),
    "{name} has another scale along each axis, so that its bones point elsewhere than in the file as they turn; apply its "
    "scale by Object > Apply > Scale, and import again": (
        "{name} ist nicht in alle Richtungen gleich skaliert, sodass seine Knochen, wenn sie sich drehen, anderswohin "
        "zeigen als in der Datei; wenden Sie die Skalierung mit Objekt > Anwenden > Skalierung an, und importieren Sie neu"
    ),
    "The armature rests otherwise than the file's body: its bones turn as the file's limbs do and keep their lengths, and "
    "the hips go {size:.3g} times as far, with the lower foot on the ground": (
        "Das Skelett ruht anders als der Körper der Datei: Seine Knochen drehen sich wie dessen Glieder und behalten ihre "
        "Länge, die Hüfte geht {size:.3g}-mal so weit, der untere Fuß steht auf dem Boden"
    ),
    "{limbs} {limbs:limb of {name} is|limbs of {name} are} switched to FK (IK-FK is 1 now), as the keys are on the FK controls": (
        "{limbs} {limbs:Glied von {name} ist|Glieder von {name} sind} auf FK umgestellt (IK-FK ist jetzt 1), da die "
        "Schlüsselbilder auf den FK-Kontrollen liegen"
    ),
    "The proportions of {name} are kept": "Die Proportionen von {name} bleiben erhalten",
    "{bone} is {size:.3g} times its size: use Rotation Only (panel Rig)": (
        "{bone} ist {size:.3g}-mal so groß: Wählen Sie „Nur Rotation“ (Panel „Rig“)"
    ),
    "{bone} is {size:.3g} times its size, as the file tells each limb in the space of the whole body; how far limbs turn from "
    "a rest pose cannot be known": (
        "{bone} ist {size:.3g}-mal so groß, da die Datei jedes Glied im Raum des ganzen Körpers angibt; wie weit sich "
        "Glieder aus einer Ruhepose drehen, ist nicht bekannt"
    ),
    "{node} {property} occurs twice in the file; the first plays, the other is kept": (
        "{node} {property} steht doppelt in der Datei; das erste wird abgespielt, das andere behalten"
    ),
    (
        "{number} {number:node has|nodes have} no object of that name; {number:an empty stands in for "
        "it|empties stand in for them}"
    ): (
        "{number} Knoten {number:hat|haben} kein Objekt dieses Namens; {number:ein Leerobjekt steht für "
        "ihn|Leerobjekte stehen für sie}"
    ),
    "The range of the shape key {name} was widened for the file's values": (
        "Der Bereich des Formschlüssels {name} wurde für die Werte der Datei erweitert"
    ),
    "{count} {count:curve|curves} of {name} that had been changed or added since the import {count:is|are} gone with "
    "the old Action; undo to get {count:it|them} back": (
        "{count} {count:Kurve|Kurven} von {name}, die seit dem Import geändert oder hinzugefügt {count:wurde|wurden}, "
        "{count:ist|sind} mit der alten Aktion verschwunden; Rückgängig bringt sie zurück"
    ),
    "Replaced the Action {name}": "Aktion {name} ersetzt",
    "the Action {name} moves what the file does not move and is kept; the new one is {new}": (
        "die Aktion {name} bewegt, was die Datei nicht bewegt, und bleibt; die neue ist {new}"
    ),
    "The scene {name} has no view layer that can be changed; import into another scene": (
        "Die Szene {name} hat keine Ansichtsebene, die sich ändern lässt; importieren Sie in eine andere Szene"
    ),
    "Needs an Action that was imported from an animation file": (
        "Braucht eine Aktion, die aus einer Animationsdatei importiert wurde"
    ),
    "Needs an Action of an imported file, assigned or in the only NLA strip that plays, unaltered": (
        "Braucht eine Aktion einer importierten Datei, die zugewiesen ist oder im einzigen NLA-Streifen liegt, der spielt, "
        "unverändert"
    ),
    "{name} is not the Action being played. Assign it before exporting": (
        "{name} ist nicht die Aktion, die abgespielt wird. Weisen Sie sie vor dem Exportieren zu"
    ),
    "It is not known which file this Action came from; use File > Export": (
        "Aus welcher Datei diese Aktion kam, ist nicht bekannt; verwenden Sie Datei > Exportieren"
    ),
    "{untouched:The only F-Curve is|All F-Curves are} as {when}": "{untouched:Die einzige F-Kurve ist|Alle F-Kurven sind} wie {when}",
    "{untouched} {untouched:F-Curve is|F-Curves are} as {when}, {changed} {changed:is|are} changed: {names}": (
        "{untouched} {untouched:F-Kurve ist|F-Kurven sind} wie {when}, {changed} {changed:ist|sind} geändert: {names}"
    ),
    "The Action {name} is linked from another file; make it local to move its keys": (
        "Die Aktion {name} ist aus einer anderen Datei verknüpft; machen Sie sie lokal, um ihre Schlüsselbilder zu "
        "verschieben"
    ),
    "{keys} moved": "{keys} verschoben",
    "Format": "Format",
    "Clip": "Clip",
    "File's Rate": "Rate der Datei",
    "Placed at": "Gesetzt mit",
    "Smooth": "Glätten",
    "Cutoff at Rest (Hz)": "Ruhegrenze (Hz)",
    "Lower is calmer where a joint rests, and follows slow motion later": (
        "Kleiner ist ruhiger, wo ein Gelenk ruht, und folgt langsamer Bewegung später"
    ),
    "Keep Fast Moves": "Schnelle Wege",
    "Higher lags less in fast motion: cutoff increase in Hz per m/s (beta)": (
        "Höher hinkt bei schneller Bewegung weniger nach: Anstieg der Grenzfrequenz in Hz je m/s (Beta)"
    ),
    "Keep Fast Turns": "Schnelle Drehungen",
    "Higher lags less in fast turns: cutoff increase in Hz per rad/s (beta)": (
        "Höher hinkt bei schnellen Drehungen weniger nach: Anstieg der Grenzfrequenz in Hz je rad/s (Beta)"
    ),
    "Smooth moved keys by at most {place:.2g} mm{placed} and {degrees:.2g} degrees{turned}": (
        "Glätten bewegte Schlüsselbilder um höchstens {place:.2g} mm{placed} und {degrees:.2g} Grad{turned}"
    ),
    "smoothed": "geglättet",
    "The Action is marked as cyclic, as it repeats or ends as it begins": (
        "Die Aktion ist als zyklisch markiert, da sie sich wiederholt oder endet, wie sie beginnt"
    ),
    (
        "Close the Loop made {channels} {channels:location, rotation or scale end as it begins; its last key|locations, "
        "rotations and scales end as they begin; their last keys} moved by at most {place:.2g} mm{placed} and {degrees:.2g} degrees{turned}, "
        "and an export writes that"
    ): (
        "Schleife schließen ließ {channels} {channels:Position, Rotation oder Skalierung enden, wie sie beginnt; ihr letztes "
        "Schlüsselbild bewegte|Positionen, Rotationen und Skalierungen enden, wie sie beginnen; ihre letzten "
        "Schlüsselbilder bewegten} sich um höchstens {place:.2g} mm{placed} und {degrees:.2g} Grad{turned}, und ein Export schreibt "
        "das"
    ),
    (
        "{names}: the end is up to {place:.3g} mm and {degrees:.3g} degrees from the beginning, more than Close the Loop may move it, "
        "so a loop jumps there; raise its limits, or leave it where the root moves on"
    ): (
        "{names}: Das Ende liegt bis zu {place:.3g} mm und {degrees:.3g} Grad vom Anfang, mehr als Schleife "
        "schließen bewegen darf, eine Schleife springt dort also; heben Sie die Grenzen an oder lassen Sie es, wo "
        "die Wurzel sich weiterbewegt"
    ),
    "Cyclic": "Zyklisch",
    "Whether the Action is marked as cyclic, for what plays it in a loop; the mark plays and exports nothing": (
        "Ob die Aktion als zyklisch markiert wird, für das, was sie in Schleife spielt; die Marke spielt und exportiert "
        "nichts"
    ),
    "Where every curve repeats, or the last pose is the first one": (
        "Wo sich jede Kurve wiederholt oder die letzte Pose die erste ist"
    ),
    "Always, for walks of games that do not say so: the last pose becomes the first one where it is near": (
        "Immer, für Gänge aus Spielen, die es nicht sagen: Die letzte Pose wird zur ersten, wo sie nahe ist"
    ),
    "No": "Nein",
    "How many millimetres of the world a location may be moved to end where it begins": (
        "Um wie viele Millimeter der Welt eine Position bewegt werden darf, um zu enden, wo sie beginnt"
    ),
    "How many degrees a rotation may be turned to end where it begins": (
        "Um wie viel Grad eine Rotation gedreht werden darf, um zu enden, wo sie beginnt"
    ),
    "Rest Keys": "Ruhebilder",
    (
        "Give each channel of a bone that the file does not move one key at rest, as the games have it there; off, it "
        "keeps what the Action before has posed. Exports leave these keys out"
    ): (
        "Jedem Kanal eines Knochens, den die Datei nicht bewegt, ein Schlüsselbild in Ruhe geben, wo ihn auch die "
        "Spiele haben; sonst behält er, was die Aktion davor gestellt hat. Exporte lassen diese Schlüsselbilder weg"
    ),
    "Tolerance (×)": "Toleranz (×)",
    "Tolerance": "Toleranz",
    "How far curves that are drawn through samples may be off, and where only handles are fitted again a tenth of it, "
    "as a part of the property's range or the figure's size; 0.0001 also means 0.02 degrees": "Wie weit durch Abtastwerte gelegte Kurven "
    "danebenliegen dürfen, und ein Zehntel davon, wo nur Griffe neu angepasst werden, als Teil des Wertebereichs der "
    "Eigenschaft oder der Größe der Figur; 0,0001 bedeutet auch 0,02 Grad",
    "Keys are on whole frames; between them each joint by itself is at most {place:.2g} mm{placed} and {degrees:.2g} degrees{turned} off": (
        "Ganze Bilder setzt Schlüsselbilder auf Bilder; dazwischen weicht jedes Gelenk für sich höchstens "
        "{place:.2g} mm{placed} und {degrees:.2g} Grad{turned} ab"
    ),
    (
        "{curves} {curves:curve keeps keys between frames in spite of Whole Frames, as it repeats|curves keep keys "
        "between frames in spite of Whole Frames, as they repeat} after a time that is no whole number of frames; "
        "another frame rate or start frame may suit {curves:it|them}"
    ): (
        "{curves} {curves:Kurve behält|Kurven behalten} trotz Ganze Bilder Schlüsselbilder zwischen Bildern, da "
        "sie sich nach einer Zeit {curves:wiederholt|wiederholen}, die keine ganze Zahl von Bildern ist; eine "
        "andere Bildrate oder ein anderes Startbild kann passen"
    ),
    "on whole frames": "auf ganzen Bildern",
    "Location (mm)": "Position (mm)",
    "How many millimetres of the world a location may be off where keys are left out": (
        "Um wie viele Millimeter der Welt eine Position abweichen darf, wo Schlüsselbilder weggelassen werden"
    ),
    "Rotation (°)": "Rotation (°)",
    "How many degrees a rotation may be off where keys are left out": (
        "Um wie viel Grad eine Rotation abweichen darf, wo Schlüsselbilder weggelassen werden"
    ),
    "Fewer Keys kept {kept:,} of {total:,} keys; each joint by itself is at most {place:.2g} mm{placed} and {degrees:.2g} degrees{turned} off": (
        "Weniger Schlüsselbilder behielt {kept:,} von {total:,} Schlüsselbildern; jedes Gelenk für sich weicht höchstens "
        "{place:.2g} mm{placed} und {degrees:.2g} Grad{turned} ab"
    ),
    "{kept:,} keys kept": "{kept:,} Schlüsselbilder behalten",
    "The file was not kept; exports are computed again": "Die Datei wurde nicht behalten; Exporte werden neu berechnet",
    "The kept file is missing; exports are computed again": "Die behaltene Datei ist fort; Exporte werden neu berechnet",
    "The scene now runs at {rate}": "Die Szene läuft jetzt mit {rate}",
    "{rate} fps": "{rate} fps",
    "The kept bytes of {file} are missing or damaged; everything is computed again": (
        "Die behaltenen Bytes von {file} sind fort oder beschädigt; alles wird neu berechnet"
    ),
    "{action} was imported with a newer version of this extension; what only that version knows of it is kept, but not "
    "used here": (
        "{action} wurde mit einer neueren Version dieser Erweiterung importiert; was nur jene Version davon kennt, bleibt "
        "erhalten, wird hier aber nicht verwendet"
    ),
    "onto {name}": "auf {name}",
    "byte for byte": "Byte für Byte",
    (
        "Played back at {moments} {moments:moment|moments}: within {place:.2g} mm and {degrees:.2g} degrees "
        "of the scene"
    ): (
        "An {moments} {moments:Zeitpunkt|Zeitpunkten} nachgespielt: bis auf {place:.2g} mm und {degrees:.2g} Grad "
        "wie die Szene"
    ),
    (
        "Played back at {moments} {moments:moment|moments}: on its frames within {place:.2g} units and {degrees:.2g} "
        "degrees of the scene, between them within {far:.2g} units and {far_degrees:.2g} degrees"
    ): (
        "An {moments} {moments:Zeitpunkt|Zeitpunkten} nachgespielt: auf ihren Bildern bis auf {place:.2g} Einheiten und "
        "{degrees:.2g} Grad wie die Szene, dazwischen bis auf {far:.2g} "
        "Einheiten und {far_degrees:.2g} Grad"
    ),
    "the file plays {found:.3f} s, the animation {wanted:.3f} s": (
        "die Datei spielt {found:.3f} s, die Animation {wanted:.3f} s"
    ),
    "{name}: the file plays {property} otherwise than the scene shows it, most on frame {frame:g}; at {moments} {moments:moment|moments} "
    "{count} {count:property was|properties were} off": (
        "{name}: die Datei spielt {property} anders, als die Szene es zeigt, am meisten auf Bild {frame:g}; an {moments} "
        "{moments:Zeitpunkt|Zeitpunkten} {count:wich|wichen} {count} {count:Eigenschaft|Eigenschaften} ab"
    ),
    "{name}: the file plays it off by up to {place:.3g} mm and {degrees:.3g} degrees, most on frame {frame:g}; at "
    "{moments} {moments:moment|moments} {nodes} {nodes:node was|nodes were} further off the scene than this format promises": (
        "{name}: die Datei spielt es bis zu {place:.3g} mm und {degrees:.3g} Grad daneben, am weitesten auf Bild "
        "{frame:g}; an {moments} {moments:Zeitpunkt|Zeitpunkten} {nodes:lag|lagen} {nodes} {nodes:Knoten|Knoten} weiter neben der Szene, "
        "als dieses Format zusagt"
    ),
    "{name}: the file plays it off by up to {place:.3g} mm, {degrees:.3g} degrees and {percent:.2g} % of its size, most "
    "on frame {frame:g}; at {moments} {moments:moment|moments} {nodes} {nodes:node was|nodes were} further off the scene than this "
    "format promises": (
        "{name}: die Datei spielt es bis zu {place:.3g} mm, {degrees:.3g} Grad und {percent:.2g} % seiner Größe daneben, "
        "am weitesten auf Bild {frame:g}; an {moments} {moments:Zeitpunkt|Zeitpunkten} {nodes:lag|lagen} {nodes} {nodes:Knoten|Knoten} "
        "weiter neben der Szene, als dieses Format zusagt"
    ),
    "{name}: the file plays it off by up to {place:.3g} units and {degrees:.3g} degrees, most on frame {frame:g}; at "
    "{moments} {moments:moment|moments} {nodes} {nodes:node was|nodes were} further off the scene than this format promises": (
        "{name}: die Datei spielt es bis zu {place:.3g} Einheiten und {degrees:.3g} Grad daneben, am weitesten auf Bild "
        "{frame:g}; an {moments} {moments:Zeitpunkt|Zeitpunkten} {nodes:lag|lagen} {nodes} {nodes:Knoten|Knoten} weiter neben der Szene, "
        "als dieses Format zusagt"
    ),
    "{name}: between frames the file plays it off by up to {place:.3g} units and {degrees:.3g} degrees, most on frame "
    "{frame:g}, and on its own frames as promised; keys on whole frames, or a higher Rate of the file, keep more": (
        "{name}: zwischen Bildern spielt die Datei es bis zu {place:.3g} Einheiten und {degrees:.3g} Grad daneben, am "
        "weitesten auf Bild {frame:g}, auf ihren eigenen Bildern wie zugesagt; Schlüsselbilder auf ganzen Bildern oder "
        "eine höhere Rate der Datei erhalten mehr"
    ),
    "Nothing was exported: no Action belongs to what is selected": (
        "Nichts wurde exportiert: zur Auswahl gehört keine Aktion"
    ),
    "{count} file": "{count} Datei",
    "{count} files": "{count} Dateien",
    "{count} files written": "{count} Dateien geschrieben",
    "Animation Curves": "Animationskurven",
    "Tell why something was not done, and offer what was probably meant": (
        "Sagen, warum etwas nicht geschah, und anbieten, was wohl gemeint war"
    ),
    "0: automatic": "0: automatisch",
    "Import Animations": "Animationen importieren",
    "Import large or many animation files step by step; ESC ends it": (
        "Große oder viele Animationsdateien schrittweise importieren; ESC beendet es"
    ),
    "Import MRTK": "MRTK importieren",
    "Open hands, camera and gaze of an MRTK2 input recording, every curve with its own keys": (
        "Hände, Kamera und Blick einer MRTK2-Aufnahme öffnen, jede Kurve mit ihren eigenen Schlüsselbildern"
    ),
    "MRTK Hand Recording (.bin)": "MRTK-Handaufnahme (.bin)",
    "Import W3D": "W3D importieren",
    "Open the animations of a Westwood W3D file on their skeleton, as the engine plays them": (
        "Die Animationen einer W3D-Datei von Westwood auf ihrem Skelett öffnen, wie die Engine sie abspielt"
    ),
    "Westwood W3D Animation (.w3d)": "Westwood-W3D-Animation (.w3d)",
    "Import AnimX/AnimJ": "AnimX/AnimJ-Import",
    "Open an AnimX or AnimJ animation of NeosVR and Resonite, curves as curves": (
        "Eine Animation AnimX oder AnimJ von NeosVR und Resonite öffnen, Kurven als Kurven"
    ),
    "Resonite AnimX/AnimJ (.animx/.animj)": "Resonite AnimX/AnimJ (.animx/.animj)",
    "Export MRTK": "MRTK exportieren",
    "Save an armature with MRTK's joints as an input recording; what was not touched comes out byte for byte": (
        "Ein Skelett mit den Gelenken von MRTK als Aufnahme speichern; was unberührt blieb, kommt Byte für Byte heraus"
    ),
    "Export W3D": "W3D exportieren",
    "Save an armature's Action as a W3D animation; what was not touched comes out byte for byte": (
        "Die Aktion eines Skeletts als W3D-Animation speichern; was unberührt blieb, kommt Byte für Byte heraus"
    ),
    "Export AnimX/AnimJ": "AnimX/AnimJ-Export",
    "Save bones, objects, shape keys and properties as AnimX or AnimJ, curves as curves": (
        "Knochen, Objekte, Formschlüssel und Eigenschaften als AnimX oder AnimJ speichern, Kurven als Kurven"
    ),
    "MRTK2 input recording": "MRTK2-Aufnahme",
    "Westwood W3D": "Westwood W3D",
    "What Exports Exactly": "Was exakt exportiert wird",
    "Count the F-Curves that are as imported, or as last exported in place, and name the others": (
        "Die F-Kurven zählen, die wie importiert oder zuletzt an Ort und Stelle exportiert sind, und die anderen nennen"
    ),
    "Export in Place": "An Ort und Stelle exportieren",
    "Write the Action back to the file that it came from, replacing that file": (
        "Die Aktion in die Datei zurückschreiben, aus der sie kam, und diese ersetzen"
    ),
    "Reload the File": "Datei neu laden",
    "Import the file again, with the same options, in the place of this Action": (
        "Die Datei mit denselben Optionen noch einmal importieren, an Stelle dieser Aktion"
    ),
    "Convert to the Scene's Rate": "An die Rate der Szene anpassen",
    "Move all keys so that the Action plays as fast as the file says at the scene's present rate": (
        "Alle Schlüsselbilder so verschieben, dass die Aktion in der jetzigen Rate der Szene so schnell läuft, wie "
        "die Datei es sagt"
    ),
    "Origin": "Herkunft",
    "W3D file whose skeleton decides which pivot has which number; empty takes the imported one": (
        "W3D-Datei, deren Skelett bestimmt, welcher Pivot welche Nummer hat; leer gilt das importierte"
    ),
    "Into Existing File": "Datei ergänzen",
    "Replace the animation of the same name in the file that is there, or add one; all else in it stays as it is": (
        "Die Animation gleichen Namens in der vorhandenen Datei ersetzen oder eine hinzufügen; alles andere darin "
        "bleibt, wie es ist"
    ),
    "Forward": "Vorn",
    "Axis of the file's motion, in Blender's axes, that lies along Blender's Y; Y leaves it as the format says": (
        "Achse der Bewegung der Datei, in Blenders Achsen, die entlang von Blenders Y liegt; Y lässt sie, wie das "
        "Format es sagt"
    ),
    "Up": "Oben",
    "Axis of the file's motion, in Blender's axes, that lies along Blender's Z; Z leaves it as the format says": (
        "Achse der Bewegung der Datei, in Blenders Achsen, die entlang von Blenders Z liegt; Z lässt sie, wie das "
        "Format es sagt"
    ),
    "X": "X",
    "Y": "Y",
    "Z": "Z",
    "-X": "-X",
    "-Y": "-Y",
    "-Z": "-Z",
    "Forward ({forward}) and Up ({up}) need different axes; change one of them": (
        "Vorn ({forward}) und Oben ({up}) brauchen verschiedene Achsen; ändern Sie eine davon"
    ),
    "Axes": "Achsen",
    "Space of positions and rotations in the file": "Raum der Positionen und Rotationen in der Datei",
    "FBX Model": "FBX-Modell",
    "Slots of a model that Blender exported as FBX with Apply Scalings: FBX Units Scale": (
        "Slots eines Modells, das Blender als FBX mit Skalierungen anwenden: FBX-Einheitenskalierung exportiert hat"
    ),
    "FBX Model in Centimetres": "FBX-Modell in Zentimetern",
    "Slots of a model that Blender exported as FBX with Apply Scalings: All Local, its default": (
        "Slots eines Modells, das Blender als FBX mit Skalierungen anwenden: Alles lokal, der Vorgabe, exportiert hat"
    ),
    "glTF Model": "glTF-Modell",
    "Slots of a model that Blender exported as glTF with +Y Up, its default": (
        "Slots eines Modells, das Blender als glTF mit +Y oben, der Vorgabe, exportiert hat"
    ),
    "Engine Axes": "Achsen der Engine",
    "The engine's own space (left-handed, Y up, Z forward), unchanged": (
        "Der Raum der Engine selbst (linkshändig, Y oben, Z vorn), wie er ist"
    ),
    "Manual": "Von Hand",
    "The axes below": "Die Achsen unten",
    "Axis of the file that points forward, for manual axes": (
        "Achse der Datei, die nach vorn zeigt, für Achsen von Hand"
    ),
    "X of the file": "X der Datei",
    "Y of the file": "Y der Datei",
    "Z of the file": "Z der Datei",
    "-X of the file": "-X der Datei",
    "-Y of the file": "-Y der Datei",
    "-Z of the file": "-Z der Datei",
    "Axis of the file that points up, for manual axes": "Achse der Datei, die nach oben zeigt, für Achsen von Hand",
    "Still Channels": "Ruhende Kanäle",
    "Also write Position, Rotation or Scale that stay as the model's slot has them, and objects that do not move": (
        "Auch Position, Rotation oder Skalierung schreiben, die bleiben, wie der Slot des Modells sie hat, und "
        "Objekte, die sich nicht bewegen"
    ),
    "Extra Tracks": "Mehr Spuren",
    "What becomes of tracks for which the engine finds no field by name: custom properties and blend shapes": (
        "Was aus Spuren wird, für die die Engine kein Feld des Namens findet: eigene Eigenschaften und Blendshapes"
    ),
    "Last": "Zuletzt",
    "They come after all others, as the engine skips them and takes the next track's field": (
        "Sie stehen nach allen anderen, da die Engine sie überspringt und das Feld der nächsten Spur nimmt"
    ),
    "Leave Out": "Weglassen",
    "They are not written": "Sie werden nicht geschrieben",
    "Left-Handed": "Linkshändig",
    "The file's axes are left-handed, as the engine's are; for manual axes": (
        "Die Achsen der Datei sind linkshändig wie die der Engine; für Achsen von Hand"
    ),
    "Nodes Become": "Knoten werden",
    "What plays nodes of the file if nothing chosen has their name": (
        "Was für die Knoten der Datei steht, wo nichts ihres Namens gewählt ist"
    ),
    "Bones": "Knochen",
    "Bones of an armature": "Knochen eines Skeletts",
    "Objects": "Objekte",
    "Objects of their own": "Eigene Objekte",
    "Key Order": "Wertfolge",
    "Order inside the keys of AnimX curves": "Reihenfolge in den Schlüsselbildern von AnimX-Kurven",
    "As in the file that it is from, told from all its tracks": "Wie in der Datei, aus der sie ist; alle Spuren entscheiden",
    "Value First": "Wert zuerst",
    "The value of a key comes before its time": "Der Wert eines Schlüsselbilds steht vor seiner Zeit",
    "Time First": "Zeit zuerst",
    "The time of a key comes before its value": "Die Zeit eines Schlüsselbilds steht vor seinem Wert",
    "Tangent Order": "Tangenten",
    "Order of the two tangents of an AnimX key": "Reihenfolge der zwei Tangenten eines AnimX-Schlüsselbilds",
    "Left First": "Links zuerst",
    "The left tangent comes before the right one": "Die linke Tangente steht vor der rechten",
    "Right First": "Rechts zuerst",
    "The right tangent comes before the left one": "Die rechte Tangente steht vor der linken",
    "The axes that the file was imported with, else glTF Model": (
        "Die Achsen, mit denen die Datei importiert wurde, sonst glTF-Modell"
    ),
    "AnimX Packing": "Packung",
    "How an .animx file is packed; the engine's author calls AnimX internal and advises AnimJ for exchange": (
        "Wie eine Datei .animx gepackt ist; der Autor der Engine nennt AnimX intern und rät zum Austausch zu AnimJ"
    ),
    "As the file it came from, else plain": "Wie die Datei, aus der sie kam, sonst ungepackt",
    "Plain": "Ungepackt",
    "Not packed": "Nicht gepackt",
    "LZ4": "LZ4",
    "Fast to read": "Schnell zu lesen",
    "LZMA": "LZMA",
    "Smallest; what the engine itself saves": "Am kleinsten; was die Engine selbst speichert",
    "Order inside the keys of AnimX curves; automatic is that of the file it came from, else value first": (
        "Reihenfolge in den Schlüsselbildern von AnimX-Kurven; automatisch wie in der Datei, aus der sie kam, sonst "
        "Wert zuerst"
    ),
    "Order of the two tangents of an AnimX key; automatic is that of the file it came from, else left first": (
        "Reihenfolge der zwei Tangenten eines AnimX-Schlüsselbilds; automatisch wie in der Datei, aus der sie kam, "
        "sonst links zuerst"
    ),
    "Curves": "Kurven",
    "How Bezier curves are written": "Wie Bézierkurven geschrieben werden",
    "Keep": "Behalten",
    "As Bezier curves, handles at thirds": "Als Bézierkurven, Griffe auf Dritteln",
    "Straight Lines": "Geraden",
    "As straight lines within the tolerance": "Als Geraden innerhalb der Toleranz",
    "Put before the name of each node": "Steht vor dem Namen jedes Knotens",
    "Node Names": "Knotennamen",
    "Names for single nodes: bone=slot pairs, separated by semicolons, such as Hips=Root; hand_l=Left Hand": (
        "Namen für einzelne Knoten: Paare Knochen=Slot, durch Semikolon getrennt, etwa Hips=Root; hand_l=Left Hand"
    ),
    "the name {name} does not fit: names have at most {limit} Western European characters; choose another": (
        "der Name {name} passt nicht: höchstens {limit} Zeichen Westeuropas; wählen Sie einen anderen"
    ),
    "names are written without {names}, as W3D holds {limit} letters of each": (
        "Namen werden ohne {names} geschrieben, da W3D je {limit} Zeichen fasst"
    ),
    "the name {name} is written as {short}": "der Name {name} wird als {short} geschrieben",
    "the clip has {frames} frames, such a file at most {limit}; export a part or a lower rate": (
        "der Clip hat {frames} Bilder, eine solche Datei höchstens {limit}; exportieren Sie einen Teil oder mit "
        "niedrigerer Rate"
    ),
    (
        "the skeleton cannot be written: expected each bone once, after the bone that it is parented to, found {name}"
        " twice or too early; rename it, or parent it to another bone"
    ): (
        "das Skelett lässt sich nicht schreiben: erwartet wird jeder Knochen einmal, nach seinem übergeordneten "
        "Knochen, gefunden {name} zweimal oder zu früh; benennen Sie ihn um oder ordnen Sie ihn einem anderen "
        "Knochen unter"
    ),
    "the game never moves the root pivot {name}; its motion is left out, as nothing is parented to it": (
        "das Spiel bewegt den Wurzelpivot {name} nie; seine Bewegung entfällt, da nichts an ihm hängt"
    ),
    "the game never moves the root pivot {name}; its motion is written into its children": (
        "das Spiel bewegt den Wurzelpivot {name} nie; seine Bewegung wird in seine Kinder geschrieben"
    ),
    (
        "the file's skeleton is {size:.3g} times as large as the armature, whose size its pivots are moved to; with the option "
        "Scale {size:.3g} times what it is now, the figure keeps its own"
    ): (
        "das Skelett der Datei ist {size:.3g}-mal so groß wie das in Blender, auf dessen Größe seine Pivots "
        "gebracht werden; mit der Option Skalierung {size:.3g}-mal so groß wie jetzt behält die Figur ihre eigene"
    ),
    (
        "the armature does not stand at the world's origin, and its place is written into the motion; Space: Local leaves it "
        "out"
    ): (
        "das Skelett steht nicht im Ursprung der Welt, und sein Ort wird in die Bewegung geschrieben; Raum: Lokal "
        "lässt ihn weg"
    ),
    "the skeleton {name}, left out, has other bones or another size than in its file; include it, or choose Skeleton File": (
        "das weggelassene Skelett {name} hat andere Knochen oder Größen als seine Datei; schreiben Sie es mit oder "
        "wählen Sie die Skelettdatei"
    ),
    (
        "pivots have other numbers than in the skeleton's own file, as bones of it are gone or hang on new ones; "
        "choose that file as Skeleton File if the game has it"
    ): (
        "Pivots haben andere Nummern als in der Datei des Skeletts, da Knochen davon fehlen oder an neuen hängen; "
        "wählen Sie diese Datei als Skelettdatei, wenn das Spiel sie hat"
    ),
    "the file refers to the skeleton {name} and does not hold it again; Skeleton: Include adds it": (
        "die Datei verweist auf das Skelett {name} und enthält es nicht noch einmal; Skelett: Mitschreiben fügt es hinzu"
    ),
    "{names} {number:has|have} no pivot in the skeleton, {number:its|their} motion is written into the pivots below; name bones as their pivots, choose a skeleton that has them, or include the armature's": (
        "{names} {number:hat|haben} keinen Pivot im Skelett, die Bewegung steht in den Pivots darunter; nennen Sie "
        "Knochen wie ihre Pivots, wählen Sie ein Skelett, das diese hat, oder schreiben Sie das aus Blender mit"
    ),
    "{names} {number:has|have} no pivot in the skeleton, {number:its|their} animation is left out; name bones as their pivots, choose a skeleton that has them, or include the armature's": (
        "{names} {number:hat|haben} keinen Pivot im Skelett, die Animation fehlt; nennen Sie Knochen wie ihre "
        "Pivots, wählen Sie ein Skelett, das diese hat, oder schreiben Sie das aus Blender mit"
    ),
    (
        "{name} is stretched, mirrored or sheared, which pivots cannot be; everything keeps its position, but has its own size and the nearest possible rotation"
    ): (
        "{name} ist gestreckt, gespiegelt oder geschert, was Pivots nicht sein können; alles steht, wo es zu sehen "
        "ist, aber in eigener Größe und mit den nächsten Rotationen"
    ),
    "the scale of {name} is left out; a pivot has none": "die Skalierung von {name} fehlt; ein Pivot hat keine",
    "{property} of {name} is left out; a pivot has no such channel": (
        "{property} von {name} fehlt; ein Pivot hat keinen solchen Kanal"
    ),
    (
        "adaptive delta: {channels} {channels:channel|channels} encoded, none is off by more than {degrees} "
        "degrees or {units} units"
    ): (
        "adaptives Delta: {channels} {channels:Kanal|Kanäle} kodiert, höchstens {degrees} Grad und {units} "
        "Einheiten daneben"
    ),
    (
        "adaptive delta shows {pivots} {pivots:pivot|pivots} wrongly, by up to {degrees} degrees and {units} "
        "units; choose a timecoded form to have it right"
    ): (
        "adaptives Delta zeigt {pivots} {pivots:Pivot|Pivots} falsch, um bis zu {degrees} Grad und {units} "
        "Einheiten; wählen Sie eine Form mit Zeitmarken, damit es stimmt"
    ),
    "in this key order the times of keys fall, while they rise in the other one; choose the Key Order Automatic": (
        "in dieser Wertfolge fallen die Zeiten der Schlüsselbilder, in der anderen steigen sie; wählen Sie als Wertfolge "
        "Automatisch"
    ),
    (
        "times and values, or a key's two tangents, can be taken for each other in the file, also by this add-on when it "
        "opens it; AnimJ, which names them, leaves no doubt"
    ): (
        "Zeiten und Werte oder die beiden Tangenten eines Schlüsselbilds können in der Datei verwechselt werden, auch von diesem "
        "Add-on beim Öffnen; AnimJ, das sie benennt, lässt keinen Zweifel"
    ),
    "expected a version of 0 or 1, a container of plain, lz4 or lzma and a known order, found {found}": (
        "Version 0 oder 1, Packung plain, lz4 oder lzma und eine bekannte Reihenfolge erwartet, {found} gefunden"
    ),
    (
        "{values} {values:number|numbers} of {node} {property} {values:is infinite or no number|are infinite or "
        "not numbers}, which JSON cannot hold; {values:a finite one is|finite ones are} written instead"
    ): (
        "{values} {values:Zahl|Zahlen} von {node} {property} {values:ist unendlich oder gar keine|sind unendlich "
        "oder gar keine}, was JSON nicht fassen kann; {values:eine endliche steht|endliche stehen} dafür in der "
        "Datei"
    ),
    "lists or objects are nested too deeply; this is not AnimJ": (
        "Listen oder Objekte sind zu tief verschachtelt; dies ist kein AnimJ"
    ),
    (
        "Of {total} animated {total:value or moving parent|values and moving parents}, {curves} {curves:is|are} written "
        "from curves, {samples} from samples, and {lost} {lost:has|have} no place"
    ): (
        "Von {total} {total:animierten Wert oder bewegtem Elternobjekt|animierten Werten und bewegten Elternobjekten} "
        "{curves:ist|sind} {curves} aus Kurven geschrieben, {samples} aus Abtastwerten, und {lost} {lost:hat|haben} "
        "keinen Platz"
    ),
    (
        "rigid bodies move {values} {values:object|objects}, which no keys say; bake them first by Object > Rigid Body > "
        "Bake To Keyframes: {names}"
    ): (
        "Starrkörper bewegen {values} {values:Objekt|Objekte}, ohne Schlüsselbilder; machen Sie zuerst welche daraus mit "
        "„Bake To Keyframes“ bei Objekt > Starrkörper: {names}"
    ),
    (
        "the motion of {values} {values:parent is|parents is} left out, as it has to be sampled and only keys are exported, "
        "as asked: {names}"
    ): (
        "die Bewegung von {values} {values:Elternobjekt|Elternobjekten} fehlt, da sie abgetastet werden müsste und wie "
        "gewünscht nur Schlüsselbilder exportiert werden: {names}"
    ),
    "{name}: the constraint {constraint} takes part in its pose": (
        "{name}: die Beschränkung {constraint} wirkt an der Pose mit"
    ),
    "{name}: the inverse kinematics of {tip} move it, which Blender solves to some hundredths of a degree": (
        "{name}: die inverse Kinematik von {tip} bewegt ihn, die Blender auf einige Hundertstel Grad genau löst"
    ),
    "{name}: a driver sets its {path}": "{name}: ein Treiber setzt {path}",
    "{name}: the NLA takes part in its motion": "{name}: die NLA wirkt an der Bewegung mit",
    "{count} {count:bone|bones} of {name} that only {count:follows|follow} others, and that the file does not have, "
    "{count:is|are} not written; for all of the figure, switch Exact if Untouched off": (
        "{count} {count:Knochen, der nur anderen folgt und den|Knochen, die nur anderen folgen und die} die Datei nicht "
        "hat, {count:wird|werden} von {name} nicht geschrieben; für die ganze Figur schalten Sie „Unberührt exakt“ aus"
    ),
    "{limbs} {limbs:limb of {name} plays|limbs of {name} play} IK, and the file what the FK controls do, which the mesh "
    "does not show; snap FK to IK and set IK-FK to 1, or switch Exact if Untouched off": (
        "{limbs} {limbs:Gliedmaße von {name} spielt|Gliedmaßen von {name} spielen} IK, die Datei aber, was die "
        "FK-Steuerungen tun, was das Mesh nicht zeigt; richten Sie FK an IK aus und setzen Sie IK-FK auf 1, oder "
        "schalten Sie „Unberührt exakt“ aus"
    ),
    "{name}: it does not inherit everything from its parent": "{name}: er erbt nicht alles von seinem Elternteil",
    "{name}: it follows {parent}, which moves": "{name}: folgt {parent}, das sich bewegt",
    "{name}: the object itself moves": "{name}: das Objekt selbst bewegt sich",
    "{name}: its rotation is not kept as a quaternion": "{name}: seine Rotation ist kein Quaternion",
    "{name}: a connected bone stays in its place, whatever its curves say": (
        "{name}: ein verbundener Knochen bleibt an seinem Platz, was immer seine Kurven sagen"
    ),
    "{keys} {keys:key follows|keys follow} {samples} samples of {channels} {channels:channel|channels}": (
        "{keys} {keys:Schlüsselbild folgt|Schlüsselbilder folgen} {samples} Abtastwerten von {channels} "
        "{channels:Kanal|Kanälen}"
    ),
    "{name}: {path} has modifiers, easing or extrapolation, written out as keys": (
        "{name}: {path} hat Modifikatoren, Easing oder Extrapolation, ausgeschrieben als Schlüsselbilder"
    ),
    "{name}: {path} is kept to its limits, beyond which its curve goes": (
        "{name}: {path} bleibt in seinen Grenzen, die seine Kurve überschreitet"
    ),
    "{name}: the shape key {shape} is muted": "{name}: der Formschlüssel {shape} ist stumm",
    (
        "{name} is shown in its rest position; the file plays its animation, as the viewport does after Pose Position: Pose"
    ): (
        "{name} wird in der Ruheposition gezeigt; die Datei spielt die Animation ab, wie die 3D-Ansicht es mit der"
        " Einstellung Posenposition tut"
    ),
    (
        "{name}: moves faster than it is sampled; between the samples it is off by up to {error}; keys instead of"
        " constraints, drivers, modifiers or keyed modes make it exact"
    ): (
        "{name}: bewegt sich schneller, als abgetastet wird; dazwischen weicht es um bis zu {error} ab; "
        "Schlüsselbilder statt Beschränkungen, Treibern, Modifikatoren oder Modi mit Schlüsselbildern machen es genau"
    ),
    "{name}: its curve {path} is muted or has no keys": (
        "{name}: seine Kurve {path} ist stumm oder hat keine Schlüsselbilder"
    ),
    "{name}: posed without keys": "{name}: ohne Schlüsselbilder in Pose",
    "{name} keeps its own keys or drivers of when it is seen; delete them and reload to let the file hide it": (
        "{name} behält eigene Schlüsselbilder oder Treiber für die Sichtbarkeit; löschen Sie sie und wählen Sie „Datei "
        "neu laden“, damit die Animation der Datei es verbirgt"
    ),
    "{name} keeps its own keys of {property}; delete them and reload the file to let its {field} set it": (
        "{name} behält eigene Schlüsselbilder für {property}; löschen Sie sie und wählen Sie „Datei neu laden“, damit "
        "{field} der Datei es setzt"
    ),
    "{name}: it is hidden with the mesh {mesh}, which is parented to it": (
        "{name}: wird mit dem Mesh {mesh} verborgen, das daran hängt"
    ),
    (
        "Hiding {name} hides everything attached to bone {bone} in the file, but these are not hidden with it: {names}. "
        "Parent them to another bone"
    ): (
        "Ist {name} verborgen, verbirgt die Datei alles, was am Knochen {bone} befestigt ist, doch dies wird nicht mit "
        "verborgen: {names}. Weisen Sie ihm einen anderen Knochen als Elternteil zu"
    ),
    "{name}: it is otherwise than its keys say, and was sampled": (
        "{name}: ist anders, als seine Schlüsselbilder sagen, und wurde abgetastet"
    ),
    "{name}: {path} is otherwise than its keys say, and was sampled": (
        "{name}: {path} ist anders, als seine Schlüsselbilder sagen, und wurde abgetastet"
    ),
    "every channel is sampled, as asked": "jeder Kanal wird wie verlangt abgetastet",
    "rest poses or parents are not those of the file: {names}": "Ruheposen oder Eltern sind nicht die der Datei: {names}",
    "{name}: the object stands otherwise than in the file": "{name}: das Objekt steht anders als in der Datei",
    "{name}: it is not as it was imported": "{name}: ist nicht wie importiert",
    "{name}: no bone deforms anything, so that Deform Bones Only leaves none to write; switch that off, or Deform on in "
    "the properties of the bones that the model has": (
        "{name}: kein Knochen verformt etwas, sodass „Nur verformende“ keinen zum Schreiben lässt; schalten Sie "
        "diese Option ab oder in den Eigenschaften der Knochen, die das Modell hat, „Verformen“ ein"
    ),
    "two of the objects are called {name}, as they are linked from other files; choose one of them, or make library "
    "overrides, which get names of their own": (
        "zwei der Objekte heißen {name}, da sie aus anderen Dateien verknüpft sind; wählen Sie eines davon oder "
        "legen Sie Bibliotheksüberschreibungen an, die eigene Namen bekommen"
    ),
    "The scene runs at {rate} frames per second, the keys were placed at {old}; what plays is exported": (
        "Die Szene läuft mit {rate} Bildern pro Sekunde, die Schlüsselbilder wurden mit {old} gesetzt; exportiert "
        "wird, was abgespielt wird"
    ),
    "{count} {count:curve|curves} of the file {count:is|are} gone": "{count} {count:Kurve der Datei ist|Kurven der Datei sind} fort",
    "{count} {count:curve is not as it was|curves are not as they were} imported": "{count} {count:Kurve ist|Kurven sind} nicht wie importiert",
    "the frame range has changed": "der Bildbereich ist anders",
    "the markers have changed": "die Marker sind andere",
    "{count} {count:marker of the scene is|markers of the scene are} not written, as only an Action's own are; select {count:it|them} and choose Marker > Make Markers Local in the Action Editor": (
        "{count} Marker der Szene {count:wird|werden} nicht geschrieben, da das nur die eigenen einer Aktion werden; wählen Sie {count:ihn|sie} aus und im Menü Marker des Aktionseditors den Befehl Make Markers Local"
    ),
    ("{count} {count:key lies|keys lie} outside frames {first:g} to {last:g} and {count:is|are} not written"): (
        "{count} {count:Schlüsselbild liegt|Schlüsselbilder liegen} außerhalb der Bilder {first:g} bis {last:g} und "
        "{count:wird|werden} nicht geschrieben"
    ),
    ("{count} {count:marker lies|markers lie} outside the frames that are exported and {count:is|are} not written"): (
        "{count} Marker {count:liegt|liegen} außerhalb der exportierten Bilder und {count:wird|werden} nicht "
        "geschrieben"
    ),
    (
        "{names} {count:moves|move} outside frames {first:g} to {last:g} as well, the first and the last with a key; "
        "choose Scene Range to write all frames from {begin:g} to {end:g}"
    ): (
        "{names} {count:bewegt|bewegen} sich auch außerhalb der Bilder {first:g} bis {last:g}, des ersten und des letzten "
        "mit einem Schlüsselbild; mit „Szenenbereich“ werden alle Bilder von {begin:g} bis {end:g} geschrieben"
    ),
    (
        "{names} {count:moves|move} outside frames {first:g} to {last:g} as well, the first and the last with a key; the "
        "scene's frames, {begin:g} to {end:g}, are others: give the Action a Manual Frame Range to write more"
    ): (
        "{names} {count:bewegt|bewegen} sich auch außerhalb der Bilder {first:g} bis {last:g}, des ersten und des letzten "
        "mit einem Schlüsselbild; die Bilder der Szene, {begin:g} bis {end:g}, sind andere: Geben Sie der Aktion einen "
        "manuellen Bildbereich, um mehr zu schreiben"
    ),
    "{name} was written alone, without the imports of other files in the NLA: {others}": (
        "{name} wurde allein geschrieben, ohne die Importe anderer Dateien in der NLA: {others}"
    ),
    (
        "as NLA strips change or join what plays, this is for {name} itself, not for the model of {files}; choose All, "
        "Separate Files for Actions to write each for that, as it plays alone"
    ): (
        "da NLA-Streifen verändern oder verbinden, was spielt, ist dies für {name} selbst, nicht für das Modell von "
        "{files}; mit „Alle, einzelne Dateien“ bei „Aktionen“ wird jede dafür geschrieben, wie sie allein spielt"
    ),
    "it would be frame {last:g} alone, but the scene moves, so its frames {first:g} to {until:g} were written": (
        "es wäre allein Bild {last:g}, aber die Szene bewegt sich, daher wurden ihre Bilder {first:g} bis "
        "{until:g} geschrieben"
    ),
    "{moving} of {total} chosen objects move and are written; the others stand still: {names}": (
        "{moving} von {total} gewählten Objekten bewegen sich und werden geschrieben; die anderen stehen still: {names}"
    ),
    "constraints, drivers or NLA take part, but only keys are exported, as asked": (
        "Beschränkungen, Treiber oder NLA wirken mit, aber wie verlangt werden nur Schlüsselbilder exportiert"
    ),
    "Select an armature that plays an imported Action whose file was kept": (
        "Wählen Sie ein Skelett aus, das eine importierte Aktion abspielt, deren Datei behalten wurde"
    ),
    "{matched} of {total} names {matched:has|have} a bone; those without one are left empty": (
        "{matched} von {total} Namen {matched:hat|haben} einen Knochen; die ohne bleiben leer"
    ),
    "AnimX/AnimJ": "AnimX/AnimJ",
    "Save as Name Table": "Als Namenstabelle",
    "Save which bone each name of the Action's file means on the active armature, as JSON for imports": (
        "Als JSON für Importe speichern, welchen Knochen des aktiven Skeletts jeder Name der Datei meint"
    ),
    (
        "{values} {values:value|values} of {node} {property} {values:needs|need} more digits than Blender keeps; "
        "the file's own {values:is|are} kept"
    ): (
        "{values} {values:Wert|Werte} von {node} {property} {values:braucht|brauchen} mehr Stellen, als Blender "
        "behält; {values:der|die} der Datei {values:wird|werden} behalten"
    ),
    (
        "the curves of {properties} {properties:property|properties} repeat, which the file cannot say; the "
        "repetition is written out as keys"
    ): (
        "die Kurven von {properties} {properties:Eigenschaft|Eigenschaften} wiederholen sich, was die Datei nicht"
        " sagen kann; die Wiederholung wird als Schlüsselbilder ausgeschrieben"
    ),
    "expected two different axes, found {forward} for forward and {up} for up": (
        "zwei verschiedene Achsen erwartet, {forward} für vorn und {up} für oben gefunden"
    ),
    "the file fits a model that Blender exported as glTF with +Y Up, its default": (
        "die Datei passt zu einem Modell, das Blender als glTF mit +Y oben, der Vorgabe, exportiert hat"
    ),
    "the file fits a model that Blender exported as FBX with Apply Scalings: FBX Units Scale and default axes": (
        "die Datei passt zu einem Modell, das Blender als FBX mit Skalierungen anwenden: FBX-Einheitenskalierung und "
        "den Achsen der Vorgabe exportiert hat"
    ),
    "the file fits a model that Blender exported as FBX with Apply Scalings: All Local and default axes, its "
    "defaults": (
        "die Datei passt zu einem Modell, das Blender als FBX mit Skalierungen anwenden: Alles lokal und den Achsen "
        "der Vorgabe exportiert hat"
    ),
    "the file fits the model that {file} fits, not the armature's own; for that, switch Exact if Untouched off": (
        "die Datei passt zu dem Modell, zu dem {file} passt, nicht zu dem des Skeletts; dafür schalten Sie "
        "„Unberührt exakt“ aus"
    ),
    "cameras and lights are turned as in such a model; include them (in a glTF: Cameras, Punctual Lights)": (
        "Kameras und Lichter sind gedreht wie in einem solchen Modell; nehmen Sie sie darin auf (in glTF: Kameras, "
        "punktuelle Lichter)"
    ),
    "{markers} {markers:marker is|markers are} left out; the file has no place for {markers:it|them}": (
        "{markers} Marker {markers:fehlt|fehlen}; die Datei hat keinen Platz für {markers:ihn|sie}"
    ),
    "{name}: {values} {values:value does|values do} not fit the type {type} and {values:was|were} limited": (
        "{name}: {values} {values:Wert passt|Werte passen} nicht in den Typ {type} und {values:wurde|wurden} begrenzt"
    ),
    "{name}: it has delta transforms besides its own": "{name}: hat Delta-Transformationen neben den eigenen",
    "{rate} fps, {seconds} s": "{rate} fps, {seconds} s",
    "No rate of its own, {seconds} s": "Keine eigene Rate, {seconds} s",
    "{untouched} {untouched:F-Curve is|F-Curves are} as {when}": "{untouched} {untouched:F-Kurve ist|F-Kurven sind} wie {when}",
    "imported": "importiert",
    "exported in place": "an Ort und Stelle exportiert",
    "{changed} {changed:was|were} changed:": "{changed} {changed:wurde|wurden} geändert:",
    "Rig": "Rig",
    "Other Rigs": "Andere Rigs",
    "How the motion reaches an armature whose rest pose is not the file's": (
        "Wie die Bewegung auf ein Skelett kommt, dessen Ruhepose nicht die der Datei ist"
    ),
    "Follow": "Folgen",
    (
        "Each bone turns away from its own rest as the file's does from its rest; recorded joints turn the bones "
        "between them. Lengths stay the rig's"
    ): (
        "Jeder Knochen dreht sich von seiner eigenen Ruhepose weg wie der der Datei von dessen; aufgenommene Gelenke "
        "drehen die Knochen zwischen sich. Längen bleiben die des Rigs"
    ),
    "Exact Place": "Genauer Ort",
    "Each bone is placed and turned exactly as in the file, stretched where it must be": (
        "Jeder Knochen steht und zeigt genau wie in der Datei, gestreckt, wo es sein muss"
    ),
    "Follow Place": "Ort folgen",
    "Whether the topmost matched bone, such as a hand, follows the joint's position as well as its rotation": (
        "Ob der oberste zugeordnete Knochen, etwa eine Hand, außer der Rotation auch der Position des Gelenks folgt"
    ),
    "Only a bone without a parent": "Nur ein Knochen ohne Elternteil",
    "Always": "Immer",
    "Also a bone that an arm holds; it leaves the arm": "Auch ein Knochen, den ein Arm hält; er verlässt den Arm",
    "Never": "Nie",
    "It only turns": "Er dreht sich nur",
    (
        "{bones} {bones:bone turns to where the file's joint points and keeps its length|bones turn to where the "
        "file's joints point and keep their lengths}, baked at the {moments} times at which any of these joints "
        "has a key"
    ): (
        "{bones} Knochen {bones:dreht sich dorthin, wohin das Gelenk der Datei zeigt, und behält seine "
        "Länge|drehen sich dorthin, wohin die Gelenke der Datei zeigen, und behalten ihre Längen}, gebacken zu "
        "den {moments} Zeiten, zu denen eines dieser Gelenke ein Schlüsselbild hat"
    ),
    "none of these bones has one of the other side by its name, as hand.L has hand.R; rename the bones": (
        "keiner dieser Knochen hat dem Namen nach einen der anderen Seite, wie hand.L zu hand.R; benennen Sie die "
        "Knochen um"
    ),
    "of the two sides only the one that would be replaced moves; mirror it the other way, by Right onto Left": (
        "von beiden Seiten bewegt sich nur die, die ersetzt würde; spiegeln Sie mit „Rechts auf links“ andersherum"
    ),
    "the bones {bone} and {other} have different rotation modes; give both sides one": (
        "die Knochen {bone} und {other} haben verschiedene Rotationsmodi; geben Sie beiden Seiten denselben"
    ),
    "the bone {name} is connected to its parent and cannot leave it; disconnect it to follow the position": (
        "der Knochen {name} ist mit seinem Elternteil verbunden und kann ihn nicht verlassen; trennen Sie ihn, um der "
        "Position zu folgen"
    ),
    "Models": "Modelle",
    (
        "Show the meshes of the file, of its skeleton's file and of the files beside it for the same skeleton; "
        "they are never exported"
    ): (
        "Die Meshes der Datei, der Datei ihres Skeletts und der Dateien daneben für dasselbe Skelett zeigen; sie "
        "werden nie exportiert"
    ),
    "Game Folders": "Spielordner",
    "Animations": "Animationen",
    "List Animations": "Animationen auflisten",
    "List the animations that the game folders of the preferences and their archives hold for this armature": (
        "Die Animationen auflisten, die die Spielordner der Benutzereinstellungen und ihre Archive für dieses Skelett"
        " enthalten"
    ),
    "Import Selected": "Ausgewählte importieren",
    "Import the ticked animations onto this armature, or the highlighted one if none is ticked": (
        "Die angehakten Animationen auf dieses Skelett importieren, oder die markierte, wenn keine angehakt ist"
    ),
    "Import All": "Alle importieren",
    "Import all animations that the filter leaves in the list onto this armature": (
        "Alle Animationen auf dieses Skelett importieren, die der Filter in der Liste lässt"
    ),
    "Set the game folders in the preferences": "Geben Sie in den Benutzereinstellungen Spielordner an",
    "Filter": "Filter",
    "Show only animations whose name or file contains this": "Nur Animationen, deren Name oder Datei dies enthält",
    "Import this animation with the others that are ticked": "Diese Animation mit den anderen angehakten importieren",
    "Select an armature first": "Wählen Sie zuerst ein Skelett aus",
    "{animations} for {names}": "{animations} für {names}",
    "No animation to show": "Keine Animation zu zeigen",
    "No animation in the game folders is for {names}": "Keine Animation in den Spielordnern ist für {names}",
    "Nothing is selected in the list; list the animations and choose some": (
        "In der Liste ist nichts ausgewählt; listen Sie die Animationen auf und wählen Sie einige aus"
    ),
    "The file is not known or lies in an archive, which is only read; use File > Export": (
        "Die Datei ist unbekannt oder liegt in einem Archiv, das nur gelesen wird; verwenden Sie Datei > Exportieren"
    ),
    "this is an archive of these games with {files} W3D {files:file|files} ({names}); name one as in a folder, such as W3D.big/Art/W3D/WALK.w3d, or unpack it": (
        "das ist ein Archiv dieser Spiele mit {files} W3D-{files:Datei|Dateien} ({names}); nennen Sie eine wie in einem Ordner, etwa W3D.big/Art/W3D/WALK.w3d, oder packen Sie es aus"
    ),
    "expected BIGF or BIG4 at the beginning; this is not an archive of these games": (
        "am Anfang wird BIGF oder BIG4 erwartet; dies ist kein Archiv dieser Spiele"
    ),
    "the list of the archive makes no sense from here on; the archive is damaged or cut short": (
        "das Verzeichnis des Archivs ergibt ab hier keinen Sinn; das Archiv ist beschädigt oder abgeschnitten"
    ),
    "what an archive lists before its damage is used, the rest is passed over: {reason}": (
        "was ein Archiv vor seinem Schaden auflistet, wird verwendet, der Rest übergangen: {reason}"
    ),
    "the archive holds no file {name}; name it with all its folders in the archive, or list the animations of an armature again": (
        "das Archiv enthält keine Datei {name}; nennen Sie sie mit allen ihren Ordnern im Archiv, oder listen Sie die Animationen eines Skeletts neu auf"
    ),
    "the file is packed (RefPack) in its archive; unpack it with a tool for such archives": (
        "die Datei ist in ihrem Archiv gepackt (RefPack); entpacken Sie sie mit einem Werkzeug für solche Archive"
    ),
    "{file}: {entries} of its W3D files are packed (RefPack) and passed over": (
        "{file}: {entries} seiner W3D-Dateien sind gepackt (RefPack) und werden übergangen"
    ),
    "only the first {limit} files of {folder} are searched; name the folders of the games themselves": (
        "nur die ersten {limit} Dateien von {folder} werden angesehen; geben Sie die Ordner der Spiele selbst an"
    ),
    (
        "Folders of games and mods, separated by semicolons: animations, skeletons, models and textures of W3D are "
        "looked for in their files and .big archives"
    ): (
        "Ordner von Spielen und Mods, durch Semikolon getrennt: In ihren Dateien und .big-Archiven werden "
        "Animationen, Skelette, Modelle und Texturen für W3D gesucht"
    ),
    "expected vertices and triangles in the mesh; it is damaged": (
        "im Mesh werden Punkte und Dreiecke erwartet; es ist beschädigt"
    ),
    "a mesh is not shown, as it is damaged: {reason}": "ein Mesh wird nicht gezeigt, es ist beschädigt: {reason}",
    "meshes that no model of the file names are hidden: {names}": (
        "Meshes, die kein Modell der Datei nennt, sind verborgen: {names}"
    ),
    "the skin {name} is not shown: its skeleton {skeleton} was not found; put its file beside it": (
        "das Mesh {name} wird nicht gezeigt: sein Skelett {skeleton} wurde nicht gefunden; legen Sie dessen Datei "
        "daneben"
    ),
    (
        "{textures} {textures:texture was|textures were} not found or not readable and {textures:is shown as a plain "
        "colour|are shown as plain colours}: {names}"
    ): (
        "{textures} {textures:Textur wurde|Texturen wurden} nicht gefunden oder nicht lesbar und als {textures:einfache "
        "Farbe|einfache Farben} gezeigt: {names}"
    ),
    (
        "{name}: {triangles} {triangles:triangle|triangles} without three different vertices {triangles:is|are} "
        "left out"
    ): (
        "{name}: {triangles} {triangles:Dreieck|Dreiecke} ohne drei verschiedene Punkte {triangles:ist|sind} "
        "ausgelassen"
    ),
    "Fake User": "Unechter Benutzer",
    (
        "Keep imported Actions in the .blend also while nothing plays them; off, one that another replaces is gone when "
        "the file is opened again"
    ): (
        "Importierte Aktionen in der .blend behalten, auch während nichts sie abspielt; sonst ist eine, die eine andere "
        "ablöst, nach dem nächsten Öffnen fort"
    ),
    "Rig Bones": "Rigknochen",
    "Which bones are meant where a rig has the same hand more than once, as Rigify and Auto-Rig Pro make it": (
        "Welche Knochen gemeint sind, wo ein Rig dieselbe Hand mehrfach hat, wie Rigify und Auto-Rig Pro es anlegen"
    ),
    "Imports move the controls, exports read the bones that deform": (
        "Importe bewegen die Steuerknochen, Exporte lesen die verformenden"
    ),
    "Controls": "Steuerknochen",
    "The bones that a person poses": "Die Knochen, mit denen ein Mensch posiert",
    "Deforming": "Verformende",
    "The bones that move the mesh": "Die Knochen, die das Mesh bewegen",
    "Sideless Hand": "Ohne Seite",
    "Which hand bones are that name no side, as in the one-hand models of WebXR and Meta": (
        "Welche Hand Knochen sind, die keine Seite nennen, wie in den einzelnen Händen von WebXR und Meta"
    ),
    "Neither": "Keine",
    "They are left out, with a warning": "Sie fehlen, mit einer Warnung",
    "Left": "Links",
    "They are the left hand": "Sie sind die linke Hand",
    "Right": "Rechts",
    "They are the right hand": "Sie sind die rechte Hand",
    (
        "the numbers of some finger bones fit two different joints, so these bones are left out: {names}; say which joints they are in Name Table or Joint Names"
    ): (
        "nach ihren Nummern können Knochen ein Fingergelenk oder das nächste sein und fehlen: {names}; sagen Sie mit "
        "Namenstabelle oder Gelenknamen, welche sie sind"
    ),
    "the names of some hand bones do not say left or right, so these bones are left out: {names}; choose the hand with the option Sideless Hand": (
        "Knochen einer Hand nennen keine Seite und fehlen: {names}; sagen Sie mit der Option Ohne Seite, welche Hand "
        "es ist"
    ),
    (
        "expected pairs such as hand_l=Wrist.L separated by semicolons, each with a joint of MRTK, found {found}; correct "
        "the option Joint Names"
    ): (
        "Paare wie hand_l=Wrist.L erwartet, durch Semikolon getrennt, jedes mit einem Gelenk von MRTK, {found} "
        "gefunden; berichtigen Sie die Option Gelenknamen"
    ),
    "the option Joint Names names the bone {bone}, which this armature does not have": (
        "die Option Gelenknamen nennt den Knochen {bone}, den dieses Skelett nicht hat"
    ),
    "the file has {size} bytes, more than the {limit} of a table of names; choose the table": (
        "die Datei hat {size} Bytes, mehr als die {limit}, die eine Namenstabelle haben kann; wählen Sie die Tabelle"
    ),
    (
        "there is no camera, but players of version 1.0 always move theirs: one pose was written, at the origin, looking "
        "forward; add a bone Camera, or choose version 1.1"
    ): (
        "es gibt keine Kamera, aber Abspieler der Version 1.0 bewegen ihre immer: eine Pose im Ursprung mit Blick nach vorn "
        "wurde geschrieben; fügen Sie einen Knochen Camera hinzu oder wählen Sie Version 1.1"
    ),
    "Hand Mesh": "Hand-Mesh",
    "Show each recorded hand as a mesh on its joints; it is never exported": (
        "Jede aufgenommene Hand als Mesh auf ihren Gelenken zeigen; es wird nie exportiert"
    ),
    "Field of View": "Sichtfeld",
    "Degrees from the lower to the upper edge of the camera's picture; recordings do not say, Unity uses 60": (
        "Grad vom unteren zum oberen Rand des Kamerabildes, Aufnahmen sagen es nicht, Unity nimmt 60"
    ),
    "first hand on frame {frame}": "erste Hand auf Bild {frame}",
    "first to be seen on frame {frame}": "zuerst zu sehen auf Bild {frame}",
    "nothing moves in these that a file of this format holds, so none was written for them: {names}": (
        "in diesen bewegt sich nichts, was eine Datei dieses Formats enthält, für sie wurde keine geschrieben: {names}"
    ),
    "Node Names lists names that are not exported: {names}; nothing is renamed for them": (
        "Knotennamen nennt, was nicht exportiert wird: {names}; dafür wird nichts umbenannt"
    ),
    "{total} animated {total:value|values} from curves": "{total} animierte {total:Wert|Werte} aus Kurven",
    "of {total} animated {total:value|values} {curves} from curves, {samples} from samples, {lost} without a place": (
        "von {total} {total:animierten Wert|animierten Werten} {curves} aus Kurven, {samples} aus Abtastwerten, {lost} ohne "
        "Platz"
    ),
    "a new armature, as {matched} of {total} names match {name}": (
        "ein neues Skelett, da {matched} von {total} Namen zu {name} passen"
    ),
    "bones without parents, at rest in one place": "Knochen ohne Eltern, in Ruhe an einer Stelle",
    "EA W3X": "EA W3X",
    "Import W3X": "W3X importieren",
    "Export W3X": "W3X exportieren",
    "Command & Conquer W3X Animation (.w3x)": "Command-&-Conquer-W3X-Animation (.w3x)",
    "Open the animations of a W3X file on their skeleton, as Command & Conquer 3 and Red Alert 3 play them": (
        "Die Animationen einer W3X-Datei auf ihrem Skelett öffnen, wie Command & Conquer 3 und Alarmstufe Rot 3 sie "
        "abspielen"
    ),
    "Save an armature's Action as a W3X animation; what was not touched comes out byte for byte": (
        "Die Aktion eines Skeletts als W3X-Animation speichern; was unberührt blieb, kommt Byte für Byte heraus"
    ),
    "W3X file with the skeleton; empty looks for it as the file includes it, and beside the animation": (
        "W3X-Datei mit dem Skelett; leer wird es gesucht, wie die Datei es einbindet, und neben der Animation"
    ),
    "W3X file whose skeleton decides which pivot has which number; empty takes the imported one": (
        "W3X-Datei, deren Skelett bestimmt, welcher Pivot welche Nummer hat; leer gilt das importierte"
    ),
    "Write no skeleton; the file includes the one of the hierarchy's name": (
        "Kein Skelett schreiben; die Datei bindet das vom Namen der Hierarchie ein"
    ),
    "Keep Steps": "Sprünge erhalten",
    "Forbid the games' compiler, for an animation that gets its first steps, a compression that makes them ramps": (
        "Dem Compiler der Spiele für eine Animation, die ihre ersten Sprünge bekommt, eine Kompression verbieten, die "
        "Rampen aus ihnen macht"
    ),
    "Letters, digits, _, . and -; empty takes the file's name in upper case, as EA's exporter does": (
        "Buchstaben, Ziffern, _, . und -; leer gilt der Name der Datei in Großbuchstaben, wie bei EAs Exporter"
    ),
    "Letters, digits, _, . and -; empty takes the name of the armature's data in upper case": (
        "Buchstaben, Ziffern, _, . und -; leer gilt der Name der Skelettdaten in Großbuchstaben"
    ),
    "expected UTF-8, found {found}; save the file as UTF-8 in a text editor": (
        "UTF-8 erwartet, {found} gefunden; speichern Sie die Datei in einem Texteditor als UTF-8"
    ),
    "expected a number, found {found!r}; the games' compiler refuses it as well": (
        "eine Zahl erwartet, {found!r} gefunden; auch der Compiler der Spiele weist das ab"
    ),
    "expected a whole number from {low} to {high}, found {found!r}; the games' compiler refuses it, too": (
        "eine ganze Zahl von {low} bis {high} erwartet, {found!r} gefunden; auch der Compiler der Spiele weist das ab"
    ),
    "expected true or false, found {found!r}; the games' compiler refuses it as well": (
        "true oder false erwartet, {found!r} gefunden; auch der Compiler der Spiele weist das ab"
    ),
    "expected an AssetDeclaration around everything, found {found}; this is another kind of XML file": (
        "eine AssetDeclaration um alles erwartet, {found} gefunden; das ist eine andere Art von XML-Datei"
    ),
    (
        "expected an animation or a skeleton, this W3X file holds neither (assets: {found}); choose the file with the "
        "animation"
    ): (
        "eine Animation oder ein Skelett erwartet, diese W3X-Datei enthält keines von beiden (Assets: {found}); wählen "
        "Sie die Datei mit der Animation"
    ),
    "expected the attribute {name}; add it, the games' compiler needs it too": (
        "das Attribut {name} erwartet; ergänzen Sie es, auch der Compiler der Spiele braucht es"
    ),
    "expected the element Channels; add it, even if it is empty": (
        "das Element Channels erwartet; ergänzen Sie es, auch wenn es leer ist"
    ),
    "more than {limit} elements within each other; no such file has that, it is damaged": (
        "mehr als {limit} Elemente ineinander; das hat keine solche Datei, sie ist beschädigt"
    ),
    "the XML is damaged here ({reason}); open the file in a text editor and mend it, or get another copy": (
        "das XML ist hier beschädigt ({reason}); öffnen Sie die Datei in einem Texteditor und berichtigen Sie sie, oder "
        "besorgen Sie eine andere Kopie"
    ),
    "the file declares a document type, which the games' compiler has no use for; remove the DOCTYPE": (
        "die Datei deklariert einen Dokumenttyp, den der Compiler der Spiele nicht braucht; entfernen Sie den DOCTYPE"
    ),
    "the name {name} does not fit: letters without accents, digits, _, . and - only; choose another": (
        "der Name {name} passt nicht: nur Buchstaben ohne Akzente, Ziffern, _, . und -; wählen Sie einen anderen"
    ),
    (
        "this is a map of Warcraft III, whose files end in .w3x as well; choose an animation of Command & Conquer 3 or "
        "Red Alert 3"
    ): (
        "das ist eine Karte von Warcraft III, deren Dateien auch auf .w3x enden; wählen Sie eine Animation von Command & "
        "Conquer 3 oder Alarmstufe Rot 3"
    ),
    (
        "{channels} {channels:channel is|channels are} for pivots that the skeleton does not have; "
        "{channels:it is|they are} kept but not played"
    ): (
        "{channels} {channels:Kanal gehört|Kanäle gehören} zu Pivots, die das Skelett nicht hat; {channels:er"
        " bleibt erhalten, spielt|sie bleiben erhalten, spielen} aber nicht"
    ),
    (
        "{channels} {channels:channel has a type that does not go with its|channels have a type that does not"
        " go with their} frames; the games' compiler refuses {channels:it|them}"
    ): (
        "{channels} {channels:Kanal hat|Kanäle haben} einen Typ, der nicht zu {channels:seinen|ihren} Bildern passt; "
        "der Compiler der Spiele weist {channels:ihn|sie} ab"
    ),
    ("{channels} {channels:channel has|channels have} frames beyond NumFrames; these are kept but not played"): (
        "{channels} {channels:Kanal hat|Kanäle haben} Bilder jenseits von NumFrames; diese bleiben erhalten, spielen "
        "aber nicht"
    ),
    "{kind} {name} is kept but not used: {reason}": (
        "{kind} {name} bleibt erhalten, wird aber nicht verwendet: {reason}"
    ),
    "Take": "Aufnahme",
    "Match Names": "Namen zuordnen",
    "Say which bone each name of the Action's file means, and import the file again in its place": (
        "Sagen, welchen Knochen jeder Name der Datei dieser Aktion meint, und die Datei an ihrer Stelle neu importieren"
    ),
    "{matched} of {total} names have a bone": "{matched} von {total} Namen haben einen Knochen",
    "{text} ({count} cases)": "{text} ({count} Fälle)",
    "{time}, {line}": "{time}, {line}",
    "Trim to View": "Auf Ansicht kürzen",
    "Cut away what lies outside the frames that the editor shows; in the 3D view, the scene's range": (
        "Abschneiden, was außerhalb der Bilder liegt, die der Editor zeigt; in der 3D-Ansicht der Bereich der Szene"
    ),
    "Trim to Tracked": "Auf Erfasstes kürzen",
    "Cut away what comes before the first and after the last frame on which a hand is tracked": (
        "Abschneiden, was vor dem ersten und nach dem letzten Bild liegt, auf dem eine Hand erfasst ist"
    ),
    "Fewer Keys": "Weniger Schlüsselbilder",
    "Leave out keys that the others do without, within two limits": (
        "Schlüsselbilder weglassen, ohne die die anderen auskommen, innerhalb zweier Grenzen"
    ),
    "Calm the noise of tracking in locations and rotations (1-euro filter)": (
        "Das Rauschen der Erfassung in Positionen und Rotationen beruhigen (1-Euro-Filter)"
    ),
    "Whole Frames": "Ganze Bilder",
    "Give what has keys between frames a key on each whole frame instead": (
        "Was Schlüsselbilder zwischen den Bildern hat, bekommt stattdessen eins auf jedem ganzen Bild"
    ),
    "Close the Loop": "Schleife schließen",
    "Make the last pose the first one, where these are near enough": (
        "Die letzte Pose zur ersten machen, wo sie nahe genug beieinander liegen"
    ),
    "Mirror onto Other Hand": "Auf andere Hand spiegeln",
    "Write the motion of the bones of one side onto those of the other side, mirrored": (
        "Die Bewegung der Knochen einer Seite gespiegelt auf die der anderen Seite schreiben"
    ),
    "Right onto Left": "Rechts auf links",
    "Off, the left side onto the right one": "Aus: die linke Seite auf die rechte",
    "Change only the curves of bones that are selected in Pose Mode": (
        "Nur die Kurven von Knochen ändern, die im Posenmodus ausgewählt sind"
    ),
    "Export Changed": "Geändertes exportieren",
    "Write every imported Action whose keys were changed since to a free name beside its file": (
        "Jede importierte Aktion, deren Schlüsselbilder seither geändert wurden, unter einem freien Namen neben ihre "
        "Datei schreiben"
    ),
    "In Place": "An Ort und Stelle",
    "Replace the files that the Actions came from": "Die Dateien ersetzen, aus denen die Aktionen kamen",
    "{changed} of {total} imported {total:Action|Actions} changed": (
        "{changed} von {total} importierten {total:Aktion|Aktionen} geändert"
    ),
    "None is written: its file is unknown, in an archive or of two that changed, or nothing here plays it": (
        "Keine kann geschrieben werden: ihre Datei ist unbekannt, liegt in einem Archiv oder gehört zu zwei geänderten, oder "
        "nichts in dieser Szene spielt sie ab"
    ),
    "{name} was not written: {reason}": "{name} wurde nicht geschrieben: {reason}",
    (
        "no file was written for these changed Actions: theirs is not known, lies in an archive or is of two of them, or "
        "nothing in this scene plays them; use File > Export: {names}"
    ): (
        "für diese geänderten Aktionen wurde keine Datei geschrieben: ihre ist unbekannt, liegt in einem Archiv "
        "oder gehört zu zweien davon, oder nichts in dieser Szene spielt sie ab; verwenden Sie Datei > "
        "Exportieren: {names}"
    ),
    "A skeleton or model without animation": "Ein Skelett oder Modell ohne Animation",
    "A skeleton or model without animation; an import onto it makes an Action": (
        "Ein Skelett oder Modell ohne Animation; ein Import darauf erzeugt eine Aktion"
    ),
    "{selected} of {bones} bones selected, most at rest in one place": (
        "{selected} von {bones} Knochen ausgewählt, die meisten ruhen an einer Stelle"
    ),
    "Pose Mode": "Posenmodus",
    "The file has no rest pose: Edit Mode shows its bones in one place. Move them in Pose Mode": (
        "Die Datei hat keine Ruhepose: Der Bearbeitungsmodus zeigt ihre Knochen an einer Stelle. Im Posenmodus bewegen"
    ),
    "{name} is drawn as a wire, as the file hides it at times": (
        "{name} wird als Draht gezeichnet, da die Datei ihn zeitweise verbirgt"
    ),
    "Last Frame": "Letztes Bild",
    "What is before it goes": "Was davor liegt, fällt weg",
    "What is after it goes": "Was danach liegt, fällt weg",
    "Needs an active object with an assigned Action that has keys; make it local where it is linked": (
        "Braucht ein aktives Objekt, dem eine Aktion mit Schlüsselbildern zugewiesen ist; wo diese verknüpft ist, machen Sie "
        "sie lokal"
    ),
    "No curve here can be changed: none is unlocked and made of keys alone, or none is of a selected bone": (
        "Hier lässt sich keine Kurve ändern: keine ist entsperrt und besteht nur aus Schlüsselbildern, oder keine gehört "
        "einem ausgewählten Knochen"
    ),
    (
        "{curves} {curves:curve is|curves are} locked or more than keys (eased, or with modifiers), so {curves:it stays as "
        "it is|they stay as they are}: {names}"
    ): (
        "{curves} {curves:Kurve ist|Kurven sind} gesperrt oder mehr als Schlüsselbilder (Easing oder Modifikatoren) und "
        "{curves:bleibt, wie sie ist|bleiben, wie sie sind}: {names}"
    ),
    "Needs a recording of a hand, which says when the hand is tracked": (
        "Braucht die Aufnahme einer Hand, die sagt, wann die Hand erfasst ist"
    ),
    "Needs an armature with a hand: no bone is named after a thumb or a finger": (
        "Braucht ein Skelett mit einer Hand: kein Knochen heißt nach einem Daumen oder Finger"
    ),
    "No hand is ever tracked in this Action; use Trim to View": (
        "In dieser Aktion ist nie eine Hand erfasst; verwenden Sie „Auf Ansicht kürzen“"
    ),
    "Curves with handles, Euler angles and what repeats stay as they are": (
        "Kurven mit Griffen, Euler-Winkel und was sich wiederholt bleiben, wie sie sind"
    ),
    "the first frame must come before the last one; choose others": (
        "das erste Bild muss vor dem letzten liegen; wählen Sie andere"
    ),
    "{name}: {curves} {curves:curve|curves} changed": "{name}: {curves} {curves:Kurve|Kurven} geändert",
    "{name}: {curves} {curves:curve|curves} changed, {before:,} {before:key|keys} before, {after:,} now": (
        "{name}: {curves} {curves:Kurve|Kurven} geändert, {before:,} {before:Schlüsselbild|Schlüsselbilder} vorher, {after:,} jetzt"
    ),
    "no curve is called {pattern!r}; choose names such as {example!r}, with * for any letters": (
        "keine Kurve heißt {pattern!r}; wählen Sie Namen wie {example!r}, mit * für beliebige Buchstaben"
    ),
    "the animation {name} moves nothing and is left out": "die Animation {name} bewegt nichts und wird ausgelassen",
    "nothing is animated here; choose a file with an animation": (
        "hier ist nichts animiert; wählen Sie eine Datei mit einer Animation"
    ),
    "seconds": "Sekunden",
    "{curve}: {keys} {keys:key is|keys are} no finite {keys:number|numbers}, the first at {time:.4g} s; delete or replace "
    "{keys:it|them}": (
        "{curve}: {keys} {keys:Schlüsselbild ist|Schlüsselbilder sind} keine endliche {keys:Zahl|Zahlen}, zuerst "
        "bei {time:.4g} s; löschen oder ersetzen Sie {keys:es|sie}"
    ),
    "{curve}: {keys} {keys:quaternion is|quaternions are} not normalized; the worst at {time:.4g} s is {norm:.4g} times as "
    "long as it should be; normalize {keys:it|them}": (
        "{curve}: {keys} {keys:Quaternion ist|Quaternionen sind} nicht normiert; das schlimmste bei {time:.4g} s "
        "ist {norm:.4g}-mal so lang, wie es sein sollte; normieren Sie {keys:es|sie}"
    ),
    "{nodes} nodes are called {name!r}, of which whoever looks for it finds one; give each its own name": (
        "{nodes} Knoten heißen {name!r}, von denen nur einen findet, wer den Namen sucht; geben Sie jedem einen "
        "eigenen Namen"
    ),
}
