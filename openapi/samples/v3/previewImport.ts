import { readFile } from 'node:fs/promises'
import { Canvass } from 'canvass-client'

// Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
const { v3 } = new Canvass()
const { title, responses, notes } = await v3.previewImport({ body: new Blob([await readFile('survey.json')]) })
console.log(title, responses)
for (const { message } of notes) console.log(message)
