import { readFile } from 'node:fs/promises'
import { Canvass } from 'canvass-client'

// Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
const { v3 } = new Canvass()
const body = new Blob([await readFile('household.xlsx')])
const { structure, issues } = await v3.convertXlsform({ body })
for (const { sheet, row, message } of issues) console.log(sheet, row, message)
const survey = await v3.createSurvey({ body: { name: 'Household survey', initial_structure: structure } })
console.log(survey.survey_structure_uri)
