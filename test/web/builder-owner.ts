import { unescapeHtml } from '../support/html.ts'
import { signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import type { World } from '../support/world.ts'

/** A survey with a condition, a skip, unknown JSON members and a question of an unknown type. */
export const DRINKS = {
  title: 'Drinks',
  form: [
    {
      children: [
        {
          idname: 'single-choice',
          id: 'drink',
          title: 'Which drink?',
          note: 'kept',
          children: [{ choices: [{ label: 'Tea', colour: 'green' }, { label: 'Coffee' }, { label: 'Water' }] }],
        },
        { idname: 'text-response', id: 'why', title: 'Why?', children: [{ required: true }] },
      ],
    },
    {
      skip: [{ when: { question: 'drink', op: 'eq', value: 2 }, to: 3 }],
      children: [
        {
          idname: 'boolean-choice',
          id: 'milk',
          title: 'Milk?',
          condition: { all: [{ question: 'drink', op: 'eq', value: 1 }] },
        },
      ],
    },
    { children: [{ idname: 'star-map', id: 'map', title: 'Where?', stars: [1, 2] }] },
  ],
}

/** Signs in the owner of a new survey, and opens the builder. */
export async function openBuilder(world: World, structure: object = DRINKS) {
  const person = await world.person()
  const id = await makeSurvey(person, structure)
  const browser = await signInAs(person)
  const root = `/account/surveys/${id}/edit/`
  const published = async () => (await person.get(`/api/v3/surveys/${id}/structure/`)).body
  const draft = async () => {
    const { text } = await browser.get(`${root}json/`)
    return JSON.parse(unescapeHtml(/<textarea[^>]*>\n([\s\S]*)<\/textarea>/.exec(text)![1]!))
  }
  const press = async (action: string, fields: Record<string, string> = {}) => {
    const reply = await browser.post(root, { do: action, ...fields })
    return reply.to ? browser.get(reply.to.replace(/#.*/, '')) : reply
  }
  const publish = () => browser.post(`${root}publish/`, {})
  const publishAnyway = async () => {
    const { text } = await publish()
    const [, confirmed = ''] = /name="confirmed" value="([^"]*)"/.exec(text) ?? []
    return browser.post(`${root}publish/`, { confirmed })
  }
  return { person, browser, root, id, publishAnyway, published, draft, press, publish, page: await browser.get(root) }
}

/** Adds a question with a title to a page, in the builder at an address. */
export async function addQuestion(
  browser: Awaited<ReturnType<typeof signInAs>>,
  root: string,
  kind: string,
  title: string,
  page = 0,
) {
  const { to } = await browser.post(root, { do: 'add', kind, page: String(page) })
  const path = to!.replace(/#.*/, '')
  await browser.post(path, { ...fieldsIn(await browser.get(path)), title })
}

interface Structure {
  form: { children: { id: string }[] }[]
}

/** Returns the IDs of the questions of each page. */
export const idsIn = ({ form }: Structure) => form.map(({ children }) => children.map(({ id }) => id))

/** Returns the fields of the form of a page, as a browser would submit them. */
export function fieldsIn({ text }: { text: string }): Record<string, string> {
  const form = /<form[^>]*id="question-form"[\s\S]*?<\/form>/.exec(text)![0]
  const fields: Record<string, string> = {}
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const attribute = (name: string) => unescapeHtml(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
    if (!/type="checkbox"/.test(tag) || / checked/.test(tag)) fields[attribute('name')] = attribute('value')
  }
  for (const [, name, value] of form.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>([^<]*)</g))
    fields[name!] = unescapeHtml(value!)
  for (const [, name, options] of form.matchAll(/<select[^>]*name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g))
    fields[name!] = /value="([^"]*)" selected/.exec(options!)?.[1] ?? ''
  return fields
}
