import { describe, expect, test } from '@jest/globals'
import { addSurvey, pageOf, single, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const hidden = { idname: 'hidden-field', id: 'source', children: [{ type: 'hidden' }] }
const multipleChoice = {
  idname: 'multiple-choice',
  id: 'many',
  title: 'Many',
  children: [{ type: 'multiple', choices: ['A', 'B', 'C'].map((label) => ({ label })) }],
}
const structure = {
  title: 'T',
  form: [
    pageOf({ ...text('name'), identifier: 'who' }, single('one', ['Tea', 'Coffee']), multipleChoice, hidden),
    pageOf(text('mail', { validation: { kind: 'email' } }), single('two', ['Yes', 'No'])),
  ],
}
const openWith = async (query: string) => {
  const { survey, path } = await addSurvey(await world.person(), structure)
  return { survey, first: await world.anonymous.get(`${path}?${query}`) }
}
const checkedValues = (page: string, name: string) =>
  [...page.matchAll(new RegExp(`name="${name}" value="([^"]*)" checked`, 'g'))].map(([, value]) => value)

describe('opening a survey with answers in the address', () => {
  test('fills the first page by question ID or identifier and by choice label or index, and stores nothing', async () => {
    const { survey, first } = await openWith('who=Ann+%26+Ben&one=Coffee&many=0&many=C')
    expect(first.text).toMatch(/value="Ann &amp; Ben"|>\s*Ann &amp; Ben<\/textarea>/)
    expect(checkedValues(first.text, 'one')).toEqual(['1'])
    expect(checkedValues(first.text, 'many')).toEqual(['0', '2'])
    expect(await storedResponses(world, survey.id)).toEqual([])
  })

  test('stores the submitted answers, and prefills the answers on later pages', async () => {
    const { survey, first } = await openWith('name=Ann&one=1&mail=ann%40example.org&two=No&source=leaflet')
    const reply = await submitForm(world.anonymous, first, { name: 'Zoe', one: '' })
    const second = await world.anonymous.get(reply.headers.get('location')!)
    expect(second.text).toContain('value="ann@example.org"')
    expect(checkedValues(second.text, 'two')).toEqual(['1'])
    await submitForm(world.anonymous, second, { mail: 'zoe@example.org', two: '1' })
    const [stored] = await storedResponses(world, survey.id)
    expect(stored!.answers).toEqual({ name: 'Zoe', mail: 'zoe@example.org', two: 1, source: 'leaflet' })
    expect(stored!.completed).toBe(1)
  })

  test('ignores invalid answers and unknown questions', async () => {
    const { first } = await openWith('one=Milk&many=9&mail=invalid&nothing=1&__proto__=x&lang=name&page=one')
    expect(first.status).toBe(200)
    expect(first.text).not.toContain(' checked')
    const { survey, first: reopened } = await openWith('mail=invalid&two=9')
    await submitForm(world.anonymous, reopened, { name: 'x' })
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ name: 'x' })
  })
})

describe('redirect_url with placeholders', () => {
  const url =
    'https://example.org/{{ one }}/done?name={{who}}&mail={{ mail | default: "no one" }}&code={{ invite.code }}'
  const complete = async (settings: object) => {
    const person = await world.person()
    const form = [pageOf({ ...text('name'), identifier: 'who' }, single('one', ['Tea', 'Coffee']), text('mail'))]
    const { survey, path } = await addSurvey(person, { title: 'T', form })
    const uri = `/api/v3/surveys/${survey.id}/settings/`
    expect((await person.put(uri, { json: { redirect_url: url, ...settings } })).status).toBe(200)
    expect((await person.get(uri)).body.redirect_url).toBe(url)
    const [invite] = (await person.post(`/api/v3/surveys/${survey.id}/invite_codes/`, { form: { count: 1 } })).body
      .results
    const page = await world.anonymous.get(`${path}?code=${invite.code}`)
    const { headers } = await submitForm(world.anonymous, page, { name: 'Ann & /?#', one: '1' })
    return { to: headers.get('location'), code: invite.code }
  }

  test('redirects to the URL with encoded answers, and with the default for a missing answer', async () => {
    const { to, code } = await complete({})
    expect(to).toBe(`https://example.org/Coffee/done?name=Ann%20%26%20%2F%3F%23&mail=no%20one&code=${code}`)
  })

  test('inserts the defaults, but no answers and no invite code, for an anonymous response', async () => {
    const { to } = await complete({ anonymous: true })
    expect(to).toBe('https://example.org//done?name=&mail=no%20one&code=')
  })

  test('returns 400 for a placeholder in the host name', async () => {
    const person = await world.person()
    const { survey } = await addSurvey(person, structure)
    const json = { redirect_url: 'https://{{name}}.example.org/' }
    const reply = await person.put(`/api/v3/surveys/${survey.id}/settings/`, { json })
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field: 'redirect_url' }] } })
  })
})
