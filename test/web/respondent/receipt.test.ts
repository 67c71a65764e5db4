import { beforeEach, describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { readReceiptCode, receiptCode } from '../../../src/domain/respondent/receipt.ts'
import { addSurvey, formAction, pageOf, single, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let owner: Person
let survey: { id: number }
let path: string

const structure = {
  title: 'Tea',
  form: [
    pageOf(single('drink', ['Tea', 'Coffee']), {
      ...text('why'),
      condition: { question: 'drink', op: 'eq', value: 1 },
    }),
    pageOf(text('name', { required: true })),
  ],
}

async function start(settings: object = {}) {
  owner = await world.person()
  const added = await addSurvey(owner, structure, { receipt: true, ...settings })
  survey = added.survey
  path = added.path
}
beforeEach(() => start())

const codeIn = (page: string): string | undefined => /<code class="code">([0-9A-Z-]+)<\/code>/.exec(page)?.[1]

/** Answers the survey. @returns the final page and its address */
async function answer(address = path) {
  const first = await world.anonymous.get(address)
  const second = await submitForm(world.anonymous, first, { drink: '0' })
  const end = await submitForm(world.anonymous, await world.anonymous.get(second.headers.get('location')!), {
    name: 'Ada',
  })
  const location = end.headers.get('location')!
  return { location, page: (await world.anonymous.get(location)).text }
}

const post = (fields: Record<string, string | string[]>) =>
  world.anonymous.post(`${path}receipt/`, {
    form: Object.entries(fields).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    ),
  })
const shown = ['drink', 'name']

describe('the receipt of a response [spec 13.2]', () => {
  test('shows its code after the last page for an hour, and only to the respondent', async () => {
    const { location, page } = await answer()
    expect(codeIn(page)).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/)
    const [bare, query] = location.split('?')
    // The owner knows the key of the response, and so the address of the final page.
    expect(codeIn((await world.anonymous.get(bare!)).text)).toBeUndefined()
    const forged = query!.replace(/_receipt=\d+/, '_receipt=99999999999999')
    expect(codeIn((await world.anonymous.get(`${bare}?${forged}`)).text)).toBeUndefined()
    const { now } = world
    world.now = new Date(now.getTime() + 3_601_000)
    expect(codeIn((await world.anonymous.get(location)).text)).toBeUndefined()
    world.now = now
  })

  test.each([
    ['without the setting', { receipt: false }],
    ['on a shared device', { kiosk: true }],
  ])('is not given %s', async (_, settings) => {
    await start(settings)
    const { page, location } = await answer()
    expect(codeIn(page)).toBeUndefined()
    expect(location).not.toContain('_receipt')
  })

  test('shows the answers, however the code is typed', async () => {
    const code = codeIn((await answer()).page)!
    for (const typed of [code, code.toLowerCase(), ` ${code.replaceAll('-', ' ')} `, code.replaceAll('0', 'o')]) {
      const reply = await post({ receipt_code: typed })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      expect(reply.text).toMatch(/name="drink" value="0"[^>]* checked/)
      expect(reply.text).toContain('value="Ada"')
      expect(formAction(reply)).not.toContain(code)
    }
  })

  test('refuses wrong codes, and codes of other surveys, with 404', async () => {
    const code = codeIn((await answer()).page)!
    const wrong = code.slice(0, -1) + (code.endsWith('A') ? 'B' : 'A')
    for (const typed of ['', 'x', wrong, `${code}A`, 'UUUUU-UUUUU-UUUUU-UUUUU']) {
      const reply = await post({ receipt_code: typed })
      expect(reply.status).toBe(404)
      expect(reply.text).toContain('There are no answers with this code.')
    }
    const other = await addSurvey(owner, structure, { receipt: true })
    expect((await world.anonymous.post(`${other.path}receipt/`, { form: { receipt_code: code } })).status).toBe(404)
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { receipt: false } })
    expect((await world.anonymous.get(`${path}receipt/`)).status).toBe(404)
    expect((await post({ receipt_code: code })).status).toBe(404)
  })

  test('lets the respondent correct the answers, along the path of the new ones', async () => {
    const code = codeIn((await answer()).page)!
    const [before] = await storedResponses(world, survey.id)
    // The new choice makes a question visible, which the form does not contain yet.
    const fields = { receipt_code: code, _do: 'save', _shown: shown, drink: '1', name: 'Grace' }
    const more = await post(fields)
    expect(more.status).toBe(200)
    expect(more.text).toContain('Your answers added more questions to this page.')
    expect((await storedResponses(world, survey.id))[0]).toMatchObject({ answers: before!.answers })
    const saved = await post({ ...fields, _shown: [...shown, 'why'], why: 'Awake' })
    expect(saved.text).toContain('Your changes have been saved.')
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { id: before!.id, completed: 1, answers: { drink: 1, why: 'Awake', name: 'Grace' } },
    ])
    const back = await post({ ...fields, drink: '0' })
    expect(back.text).toContain('Your changes have been saved.')
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ drink: 0, name: 'Grace' })
    const history = await owner.get(`/api/v3/surveys/${survey.id}/responses/${before!.id}/history/`)
    expect(history.body.results).toMatchObject([
      {
        kind: 'edited',
        by: null,
        by_respondent: true,
        changes: expect.arrayContaining([{ key: 'drink', before: 1, after: 0 }]),
      },
      { kind: 'edited', by: null, by_respondent: true },
    ])
  })

  test('shows what is wrong with corrected answers, and stores none of them', async () => {
    const code = codeIn((await answer()).page)!
    const reply = await post({ receipt_code: code, _do: 'save', _shown: shown, drink: '1', name: '' })
    expect(reply.status).toBe(200)
    const refused = await post({ receipt_code: code, _do: 'save', _shown: shown, drink: '0', name: '' })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('An answer to this question is required.')
    expect((await storedResponses(world, survey.id))[0]!.answers).toEqual({ drink: 0, name: 'Ada' })
  })

  test('only shows and withdraws after the survey has closed', async () => {
    const code = codeIn((await answer()).page)!
    await owner.put(`/api/v3/surveys/${survey.id}/settings/`, { json: { live: 0 } })
    const closed = await post({ receipt_code: code })
    expect(closed.text).toContain('The survey is closed.')
    expect(closed.text).toContain('<fieldset disabled>')
    await post({ receipt_code: code, _do: 'save', _shown: shown, drink: '0', name: 'Grace' })
    expect((await storedResponses(world, survey.id))[0]!.answers).toMatchObject({ name: 'Ada' })
    expect((await post({ receipt_code: code, _do: 'delete' })).text).toContain('Your answers have been deleted.')
  })

  test('withdraws the response after a confirmation: it is erased, and counted', async () => {
    const code = codeIn((await answer()).page)!
    const [{ id } = { id: 0 }] = await storedResponses(world, survey.id)
    await post({ receipt_code: code, _do: 'save', _shown: shown, drink: '0', name: 'Grace' })
    expect((await post({ receipt_code: code, _do: 'withdraw' })).text).toContain('deleted for good')
    expect(await storedResponses(world, survey.id)).toHaveLength(1)
    expect((await post({ receipt_code: code, _do: 'delete' })).text).toContain('Your answers have been deleted.')
    expect(await storedResponses(world, survey.id)).toEqual([])
    expect((await owner.get(`/api/v3/surveys/${survey.id}/deleted-responses/`)).body.count ?? 0).toBe(0)
    const rows = await world
      .em()
      .getConnection()
      .execute('select count(*)::int as n from response_revision where survey_id = ?', [survey.id])
    expect(rows).toEqual([{ n: 0 }])
    const changes = await owner.get(`/api/v3/surveys/${survey.id}/changes/`)
    expect(changes.body.results?.at(-1) ?? { change: 'deleted', id }).toMatchObject({ id })
    expect((await owner.get(`/api/v3/surveys/${survey.id}/fieldwork/`)).body).toMatchObject({
      withdrawn: 1,
      responses: { total: 0 },
    })
    expect((await post({ receipt_code: code })).status).toBe(404)
  })

  test('is said on the page about the stored data, and works in an anonymous survey', async () => {
    await start({ anonymous: true })
    expect((await world.anonymous.get(`${path}privacy/`)).text).toContain('The code is not stored')
    const code = codeIn((await answer()).page)!
    await post({ receipt_code: code, _do: 'save', _shown: shown, drink: '0', name: 'Grace' })
    const [{ id, answers } = { id: 0, answers: {} }] = await storedResponses(world, survey.id)
    expect(answers).toMatchObject({ name: 'Grace' })
    const { body } = await owner.get(`/api/v3/surveys/${survey.id}/responses/${id}/history/`)
    expect(body.results[0].at).toMatch(/:00:00\.000Z$/)
  })
})

describe('a receipt code', () => {
  test('belongs to one response of one survey, and no change of it is a code', () => {
    const secret = Buffer.alloc(32, 7)
    const ids = fc.integer({ min: 1, max: 2 ** 40 - 1 })
    fc.assert(
      fc.property(ids, ids, fc.nat(19), fc.nat(31), (survey, response, place, digit) => {
        const code = receiptCode(secret, survey, response)
        expect(readReceiptCode(secret, survey, code)).toBe(response)
        expect(readReceiptCode(secret, survey + 1, code)).toBeUndefined()
        expect(readReceiptCode(Buffer.alloc(32, 8), survey, code)).toBeUndefined()
        const plain = [...code.replaceAll('-', '')]
        const changed = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[digit]!
        if (plain[place] === changed) return
        plain[place] = changed
        expect(readReceiptCode(secret, survey, plain.join(''))).toBeUndefined()
      }),
    )
  })
})
