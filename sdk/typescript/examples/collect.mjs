// Creates a survey and three responses, filters and exports them, and deletes the survey.
// Settings: CANVASS_URL, and two of CANVASS_USERNAME, CANVASS_PASSWORD and CANVASS_API_KEY. Run: node collect.mjs
import { Canvass, CanvassError } from 'canvass-client'

const { v3 } = new Canvass()

const survey = await v3.createSurvey({ body: { name: 'Lunch on Friday' } })
const path = { survey_id: survey.id }
const dishes = ['Soup', 'Curry', 'Pizza'].map((label) => ({ label }))
await v3.updateStructure({
  path,
  body: {
    title: 'Lunch on Friday',
    form: [
      {
        children: [
          { idname: 'single-choice', id: 'meal', title: 'What shall we order?', children: [{ choices: dishes }] },
          { idname: 'text-response', id: 'notes', title: 'Anything to know?', children: [{}] },
        ],
      },
    ],
  },
})

for (const meal of ['Soup', 'Curry', 'Curry']) await v3.createResponse({ path, body: { meal, notes: 'no onions' } })

for await (const response of v3.paginate.listResponses({ path, query: { answers: { meal: 'Curry' } } }))
  console.log(`response ${response._id} wants curry`)

for await (const record of v3.csvRecords({ path, query: { include_labels: true } })) console.log(record.meal)

try {
  await v3.createResponse({ path, body: { meal: 'Cake' } })
} catch (error) {
  if (!(error instanceof CanvassError)) throw error
  console.log(error.status, error.code, error.fieldErrors)
}

await v3.deleteSurvey({ path })
