import { describe, expect, test } from '@jest/globals'
import { EVERY_TYPE } from '../support/every-type.ts'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { type HttpBrowser, signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()

const SHORT = {
  title: 'Short',
  form: [
    {
      children: [
        {
          idname: 'single-choice',
          id: 'drink',
          title: 'Which drink?',
          required: true,
          choices: [{ label: 'Tea' }, { label: 'Coffee' }, { label: 'Other', other: true }],
        },
        { idname: 'number', id: 'cups', title: 'How many cups of {{ drink }}?', min: 0, max: 20, decimals: 1 },
      ],
    },
  ],
}

/** Opens the first empty sheet of a new survey as its owner. */
async function openSheets(structure: object = SHORT) {
  const owner = await world.person()
  const id = await makeSurvey(owner, structure)
  const browser = await signInAs(owner)
  const root = `/account/surveys/${id}/responses/sheets/`
  expect((await browser.get(root)).text).toContain('New collector “Paper sheets”')
  const path = (await browser.post(`${root}start/`, { collector: '', language: 'en' })).to!
  return { owner, id, browser, root, path }
}

/** Types in the sheet that is open. */
async function typeIn(browser: HttpBrowser, path: string, answers: Record<string, string>, more = {}) {
  const [, key = ''] = /name="key" value="(\w+)"/.exec((await browser.get(path)).text) ?? []
  const fields = Object.entries(answers).map(([name, value]) => [`answer.${name}`, value])
  return browser.post(path, { key, ...Object.fromEntries(fields), ...more })
}

const responsesOf = async (owner: Person, id: number, query = '') =>
  (await owner.get(`/api/v3/surveys/${id}/responses/${query}`)).body.results as Record<string, unknown>[]

describe('the entry of paper sheets', () => {
  test('stores the numbers of the boxes of every question type as a complete response of a closed collector [spec 7.5]', async () => {
    const { owner, id, browser, path } = await openSheets(EVERY_TYPE)
    const page = (await browser.get(path)).text
    expect(page).toContain('for="answer.often">5. How often?</label>')
    expect(page).toContain('9 Fully · 2 Partly · 5 Never')
    expect(page).not.toContain('answer.source')
    expect(page).toMatch(/Not typed in, keep the sheets: \d+\. Photo/)
    const stored = await typeIn(browser, path, {
      remark: 'Good',
      colour: '3',
      'colour\\other': 'Green',
      scale: '1',
      often: '5',
      drinks: '1 2',
      coded: '5, 9',
      again: '0',
      day: '2026-03-01',
      clock: '09:30',
      'rank.0': '3',
      'rank.1': '1',
      rate_0: '2',
      when_1: '2',
      nps: '0',
      price: '2.5',
      stars: '4',
      slide: '70',
      ok: '1',
      cups: '2',
      uses_0: '1 2',
      budget_0: '60',
      budget_1: '40',
      sign: 'Ann',
    })
    expect(stored.status).toBe(303)
    expect((await browser.get(stored.to!)).text).toMatch(/Stored as\s+<a [^>]*>response 1<\/a>/)
    const [response] = await responsesOf(owner, id)
    expect(response).toMatchObject({
      _completed: 1,
      remark: 'Good',
      colour: 2,
      'colour\\other': 'Green',
      scale: 0,
      often: 2,
      drinks: [0, 1],
      coded: [0, 2],
      again: false,
      day: '2026-03-01',
      clock: '09:30',
      rank: [1, 0],
      rate_0: 1,
      when_1: 1,
      nps: 0,
      price: 2.5,
      stars: 4,
      slide: 70,
      ok: true,
      'ok\\text': expect.stringContaining('I agree'),
      cups: [1],
      uses_0: [0, 1],
      budget_0: 60,
      sign: 'Ann',
    })
    const { body } = await owner.get(`/api/v3/collectors/${response!._collector}/`)
    expect(body).toMatchObject({ name: 'Paper sheets', live: 0 })
    await owner.post(`/api/v3/surveys/${id}/responses/`, { json: { remark: 'By program' } })
    expect(await responsesOf(owner, id, `?_collector=${response!._collector}`)).toHaveLength(1)
  })

  test('refuses a number that no box has, and stores rules that the sheet breaks only on request', async () => {
    const { owner, id, browser, path } = await openSheets()
    expect((await browser.get(path)).text).toContain('2. How many cups of ‹…›?')
    const unknown = await typeIn(browser, path, { drink: '7', cups: 'many' })
    expect(unknown.status).toBe(422)
    expect(unknown.text).toContain('id="answer.drink-error">No box has such a number.')
    expect(unknown.text).toContain('id="answer.cups-error"')
    expect(unknown.text).toContain('value="many"')
    expect(unknown.text).not.toContain('Store as it was filled in')
    const forced = await typeIn(browser, path, { drink: '7' }, { as: 'filled-in' })
    expect(forced.status).toBe(422)
    const broken = await typeIn(browser, path, { cups: '45' })
    expect(broken.status).toBe(422)
    expect(broken.text).toContain('id="answer.drink-error"')
    expect(broken.text).toContain('id="answer.cups-error"')
    expect(broken.text).toContain('Store as it was filled in')
    expect(await responsesOf(owner, id)).toEqual([])
    expect((await typeIn(browser, path, { cups: '45' }, { as: 'filled-in' })).status).toBe(303)
    expect(await responsesOf(owner, id)).toMatchObject([{ _completed: 1, cups: 45 }])
  })

  test('refuses a ranking with a number twice, and an unknown collector', async () => {
    const { owner, id, browser, path, root } = await openSheets(EVERY_TYPE)
    const ranks: Record<string, string>[] = [{ 'rank.0': '1', 'rank.1': '1' }, { 'rank.0': 'first' }]
    for (const rank of ranks) {
      const twice = await typeIn(browser, path, rank)
      expect(twice.status).toBe(422)
      expect(twice.text).not.toContain('Store as it was filled in')
    }
    expect((await browser.get(`${root}?collector=999999`)).status).toBe(404)
    expect(await responsesOf(owner, id)).toEqual([])
  })

  test('stores a sheet once that is sent twice, also after the survey is closed', async () => {
    const { owner, id, browser, path } = await openSheets()
    await browser.post(`/account/surveys/${id}/live/`)
    const key = 'ab'.repeat(20)
    const first = await typeIn(browser, path, { drink: '2' }, { key })
    const second = await typeIn(browser, path, { drink: '2' }, { key })
    expect([first.status, second.to]).toEqual([303, first.to])
    expect(await responsesOf(owner, id)).toHaveLength(1)
  })

  test('reads numbers in the notation of the language of the sheets', async () => {
    const languages = [{ code: 'de', name: 'Deutsch', isDefault: true }]
    const { owner, id, browser, root } = await openSheets({ ...SHORT, languages })
    const path = (await browser.post(`${root}start/`, { language: 'de', collector: '' })).to!
    expect((await typeIn(browser, path, { drink: '1', cups: '2,5' })).status).toBe(303)
    expect(await responsesOf(owner, id)).toMatchObject([{ cups: 2.5, _language: 'de' }])
  })

  test('is for people who can edit answers', async () => {
    const { owner, id, root, path, browser } = await openSheets()
    const [reader, editor] = [await world.person(), await world.person()]
    const group = await makeGroup(owner, 'Typists')
    await share(owner, id, group)
    await addMember(owner, group, reader, 'view')
    await addMember(owner, group, editor, 'view correct')
    const readers = await signInAs(reader)
    expect((await readers.get(path)).status).toBe(403)
    expect((await readers.get(`/account/surveys/${id}/responses/`)).text).not.toContain('Type in paper sheets')
    const editors = await signInAs(editor)
    expect((await editors.get(root)).text).not.toContain('New collector')
    expect((await typeIn(editors, path, { drink: '1' })).status).toBe(303)
    expect((await browser.get(`/account/surveys/${id}/edit/paper/`)).text).toContain(`href="${root}"`)
    const stranger = await signInAs(await world.person())
    expect((await stranger.get(path)).status).toBe(404)
  })
})
