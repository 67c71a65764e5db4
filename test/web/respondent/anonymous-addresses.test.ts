import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { SERVICE_PARAMETERS } from '../../../src/domain/structure/reserved-ids.ts'
import { unescapeHtml } from '../../support/html.ts'
import { useMailbox } from '../../support/mailbox.ts'
import { addSurvey, pageOf, single, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})
beforeEach(() => {
  mailbox.messages = []
})

const hidden = (id: string, more: object = {}) => ({ idname: 'hidden-field', id, title: id, ...more })

describe('the address of an anonymous survey', () => {
  const structure = {
    title: 'Tea',
    form: [
      pageOf(
        hidden('who', { identifier: 'person' }),
        { idname: 'hidden-field', id: 'origin', title: 'Origin', children: [{ type: 'hidden', default: 'poster' }] },
        text('note'),
        single('drink', ['Tea', 'Coffee']),
      ),
      pageOf(text('later')),
    ],
  }
  const query = 'who=ann&person=ann&origin=ann&note=ann&drink=1&later=ann'

  test('fills in neither hidden fields nor texts, but choices that the respondent sees', async () => {
    const { survey, path } = await addSurvey(ann, structure, { anonymous: true })
    const page = await world.anonymous.get(`${path}?${query}`)
    expect(page.text).not.toContain('value="ann"')
    expect(page.text).toMatch(/value="1" checked/)
    await submitForm(world.anonymous, page, { note: '', drink: '1' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { answers: { origin: 'poster', drink: 1 }, get_variables: null },
    ])
    expect(JSON.stringify(await storedResponses(world, survey.id))).not.toContain('ann')
  })

  test('fills in all of them if the survey is not anonymous', async () => {
    const { survey, path } = await addSurvey(ann, structure)
    const page = await world.anonymous.get(`${path}?${query}`)
    await submitForm(world.anonymous, page, { note: 'ann', drink: '1' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { answers: { who: 'ann', origin: 'ann', note: 'ann', drink: 1, later: 'ann' } },
    ])
  })
})

describe('a question with the name of a parameter of survey addresses', () => {
  test('is never filled in by an address, and is saved with the warning reserved_id', async () => {
    const asIds = SERVICE_PARAMETERS.map((name, index) => (index % 2 ? hidden(name) : text(name)))
    const identifiers = SERVICE_PARAMETERS.filter((name) => !name.startsWith('_'))
    const asIdentifiers = identifiers.map((identifier, index) =>
      index % 2 ? { ...text(`q${index}`), identifier } : hidden(`q${index}`, { identifier }),
    )
    const reserved = 'collector=7&lang=xx&code=abcdefgh&saved=1&quota=5&page=9&_draft=1&y=z'
    for (const [questions, member] of [
      [asIds, 'id'],
      [asIdentifiers, 'identifier'],
    ] as const) {
      const { survey, path } = await addSurvey(ann, { title: 'Tea', form: [] })
      const structure = { title: 'Tea', form: [pageOf(...questions, text('note'), hidden('y'))] }
      const { body } = await ann.put(`/api/v3/surveys/${survey.id}/structure/?warnings=1`, { json: { structure } })
      expect(body.warnings).toMatchObject(
        questions.map((_, index) => ({ code: 'reserved_id', pointer: `/form/0/children/${index}/${member}` })),
      )
      const shown = await world.anonymous.get(`${path}?${reserved}`)
      for (const value of ['xx', 'abcdefgh', '7', '5', '9']) expect(shown.text).not.toContain(`value="${value}"`)
      await submitForm(world.anonymous, shown, { note: 'typed' })
      const [stored] = await storedResponses(world, survey.id)
      expect(stored!.answers).toEqual({ note: 'typed', y: 'z' })
    }
  })
})

describe('a message about an anonymous survey', () => {
  const plain = [
    'Hi [Full Name], is [Email] your address in [Custom:city]?',
    'https://example.org/?who=[Email]&name=[Full Name]&c=[Custom:city]&l=[Invite Link] and',
    'www.example.org/[Custom:city] mailto:x@example.org?subject=[Full Name]',
    '[Invite Link]&dept=[Custom:city]',
    'Own: [Custom:link] end',
  ].join('\n')
  const markup = `<p>Hi [Full Name] <a href="https://example.org/[Email]?n=[Full Name]">here</a>
<img src="https://tracker.example/[Custom:city].png" alt="[Full Name]"> https://example.org/?u=[Email]
<a href="[Invite Link]">start</a> <a href="[Invite Link]&dept=[Custom:city]">other</a></p>`

  async function send(message: string, settings: object) {
    const { survey } = await addSurvey(ann, { title: 'Tea', form: [pageOf(text('first'))] })
    const api = `/api/v3/surveys/${survey.id}/`
    await ann.put(`${api}settings/`, { json: settings })
    const contact = {
      name: 'Bob Example',
      email: `bob${survey.id}@example.net`,
      city: 'Oslo',
      link: 'https://e.org/bob',
    }
    const { id } = (await ann.post('/api/v3/contacts/', { json: contact })).body
    const json = { subject: 'Tea, [Full Name]?', sender: 'Ann <ann@example.org>', message, contacts: String(id) }
    expect((await ann.post(`${api}invites/`, { json })).status).toBe(201)
    await world.runJobs()
    const [sent] = mailbox.sentTo(contact.email)
    return { ...sent!, html: unescapeHtml(sent!.html ?? ''), contact }
  }

  test('has no personal values inside addresses, neither as plain text nor as HTML', async () => {
    const { text: body, contact, html } = await send(plain, { anonymous: true })
    expect(body).toContain(`Hi Bob Example, is ${contact.email} your address in Oslo?`)
    expect(body).toContain(
      'https://example.org/?who=&name=&c=&l= and\nwww.example.org/ mailto:x@example.org?subject=\n',
    )
    expect(body).toMatch(/\?code=\w{8}&dept=\nOwn: {2}end/)
    for (const personal of ['=Oslo', '/Oslo', 'e.org/bob', `=${contact.email}`]) {
      expect(body).not.toContain(personal)
      expect(html).not.toContain(personal)
    }
    const rich = await send(markup, { anonymous: true })
    expect(rich.html).toContain('<a href="https://example.org/?n=')
    expect(rich.html).toContain('<img src="https://tracker.example/.png" alt="Bob Example"')
    expect(rich.html).toMatch(/<a href="http[^"]*\?code=\w{8}">start/)
    expect(rich.html).toMatch(/<a href="http[^"]*\?code=\w{8}&dept=">other/)
    for (const personal of ['Oslo', `/${rich.contact.email}`, `=${rich.contact.email}`])
      for (const part of [rich.html, rich.text]) expect(part).not.toContain(personal)
  })

  test('has them if the survey is not anonymous', async () => {
    const { text: body, contact } = await send(plain, {})
    expect(body).toContain(`?who=${contact.email}&name=Bob Example&c=Oslo&l=http`)
    expect(body).toContain('Own: https://e.org/bob end')
  })
})
