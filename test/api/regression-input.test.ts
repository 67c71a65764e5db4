import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

/** Defects in request parsing that fuzzing and reviews have found. */
const world = useWorld()
let ann: Person
let answers: string
beforeAll(async () => {
  ann = await world.person()
  const choices = [{ label: 'Tea' }, { label: 'Something else', other: true }]
  const children = [
    { idname: 'text-response', id: 'text', title: 'What?', children: [{}] },
    { idname: 'single-choice', id: 'one', title: 'Which?', children: [{ choices }] },
  ]
  answers = `/api/v3/surveys/${await makeSurvey(ann, { title: 'Input', form: [{ children }] })}/responses/`
})

const send = (body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
  ann.post(answers, { body, headers: { 'content-type': type } })
const stored = async (path = answers) => (await ann.get(path)).body

describe('bytes that are not UTF-8', () => {
  const withInvalidByte = (before: string, after: string) =>
    Buffer.concat([Buffer.from(before), Buffer.from([0xe9]), Buffer.from(after)])
  const parts = ['--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n', '\r\n--x--\r\n'] as const

  test.each([
    ['application/json', withInvalidByte('{"text":"', '"}')],
    ['application/x-www-form-urlencoded', withInvalidByte('text=', '')],
    ['multipart/form-data; boundary=x', withInvalidByte(...parts)],
  ])('return 400 in %s, and no response is stored', async (type, body) => {
    const before = (await stored()).count
    const reply = await send(body, type)
    expect([reply.status, reply.body.code, reply.body.detail]).toEqual([
      400,
      'malformed_request',
      'The body is not UTF-8.',
    ])
    expect((await stored()).count).toBe(before)
  })
  test('return 400 with the name of the field when a form contains them percent-encoded', async () => {
    const reply = await send('text=a%20%E9', 'application/x-www-form-urlencoded')
    expect(reply.body.errors).toMatchObject([{ field: 'text', message: 'must be percent-encoded UTF-8' }])
    expect((await send('text=%C3%A9+100%', 'application/x-www-form-urlencoded')).status).toBe(201)
    expect(
      (
        await send(
          Buffer.concat([Buffer.from(parts[0]), Buffer.from('é'), Buffer.from(parts[1])]),
          'multipart/form-data; boundary=x',
        )
      ).status,
    ).toBe(201)
  })
})

describe('numbers as answers to a text question', () => {
  test.each(['12345678901234567890', '1e21', '0.0000001'])(
    'return 400 for %s, which would lose digits',
    async (number) => {
      const reply = await send(`{"text": ${number}}`)
      expect([reply.status, reply.body.errors[0].field]).toEqual([400, 'text'])
      expect((await send(`{"text": "${number}"}`)).status).toBe(201)
    },
  )
  test('return 400 for a number that is too large to parse', async () => {
    const reply = await send('{"text": -1e400}')
    expect(reply.body.errors).toMatchObject([{ field: 'text', message: 'is too large a number' }])
  })
  test.each(['9007199254740991', '-2.5', '0'])('are stored as written for %s', async (number) => {
    const { body } = await send(`{"text": ${number}}`)
    expect((await stored(`${answers}${body.id}/`)).text).toBe(number)
  })
})

describe("the text of an 'other' choice", () => {
  test('returns 400 without an answer to its question', async () => {
    const alone = await send('{"one\\\\other": "Water"}')
    expect([alone.status, alone.body.errors[0].field]).toEqual([400, 'one\\other'])
    expect((await send('{"one": 1, "one\\\\other": "Water"}')).status).toBe(201)
  })
  test('can be added to a response that already has the answer to its question', async () => {
    const { body } = await send('{"one": 1}')
    const edit = (json: object) => ann.put(`${answers}${body.id}/`, { json })
    expect((await edit({ 'one\\other': 'Water' })).status).toBe(202)
    expect((await edit({ one: '', 'one\\other': 'Juice' })).status).toBe(400)
    expect((await stored(`${answers}${body.id}/`))['one\\other']).toBe('Water')
  })
})

describe('queries', () => {
  test('with a value without a name return 400 if the operation has filters, and 200 otherwise', async () => {
    for (const path of [`${answers}?=`, `${answers}?page=1&=%20`]) {
      const reply = await ann.get(path)
      expect(reply.status).toBe(400)
      expect(reply.body.errors).toMatchObject([{ field: 'query', message: 'has a value without a name' }])
    }
    expect((await ann.get('/api/v3/contacts/?page=1&=%20')).status).toBe(200)
  })
  test('return 400 for an export in a language that the survey does not have', async () => {
    const csv = answers.replace('responses', 'csv')
    for (const path of [csv, csv.replace('v3', 'v2')]) {
      expect((await ann.get(`${path}?language=en`)).status).toBe(200)
      const reply = await ann.get(`${path}?language=zz`)
      expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('is not a language of this survey')])
    }
  })
})
