import { readFile } from 'node:fs/promises'
import { Canvass } from 'canvass-client'

// Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
const { v3 } = new Canvass()
const { survey_uri, notes } = await v3.importSurvey({ body: new Blob([await readFile('survey.json')]) })
for (const { message } of notes) console.log(message)
// The survey is closed until it is published.
console.log(survey_uri)
