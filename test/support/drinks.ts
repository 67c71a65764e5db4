import { makeSurvey } from './responses.ts'
import type { Person } from './world.ts'

type Choice = string | { label: string; uid?: unknown }
const choicesOf = (choices: Choice[]) =>
  choices.map((choice) => (typeof choice === 'string' ? { label: choice } : choice))

/** Returns a structure with one question. */
export const drinksStructure = (choices: Choice[], idname = 'single-choice') => ({
  title: 'Drinks',
  form: [{ children: [{ idname, id: 'drink', title: 'What would you like?', choices: choicesOf(choices) }] }],
})

/**
 * Creates a survey with one question and responses.
 * @returns functions that edit and read this survey
 */
export async function drinks(ann: Person, structure: object, answers: Record<string, unknown>[] = []) {
  const id = await makeSurvey(ann, structure)
  const uri = `/api/v3/surveys/${id}/`
  const respond = async (json: object) => (await ann.post(`${uri}responses/`, { json })).body.id as number
  const ids: number[] = []
  for (const json of answers) ids.push(await respond({ ...json, _completed: 1 }))
  return {
    id,
    uri,
    ids,
    respond,
    put: (structure: object) => ann.put(`${uri}structure/`, { json: structure }),
    get: async () => (await ann.get(`${uri}structure/`)).body,
    numbers: async () => {
      const [question] = (await ann.get(`${uri}structure/`)).body.form[0].children
      const { choices } = question.children[0]?.choices ? question.children[0] : question
      return choices.map(({ label, uid }: { label: { en: string }; uid: number }) => [label.en, uid])
    },
    list: async (query = '') =>
      (await ann.get(`${uri}responses/?${query}`)).body.results.map((response: { drink?: unknown }) => response.drink),
  }
}
