import { describe, expect, test } from '@jest/globals'
import { runsOf } from '../../src/web/app/builder/rehearsal.ts'
import { shareWith } from '../support/groups.ts'
import { signInAs } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { openBuilder } from './builder-owner.ts'

const world = useWorld()

const choice = (id: string, title: string, more: object = {}) => ({
  idname: 'single-choice',
  id,
  title,
  children: [{ required: true, choices: [{ label: 'Yes' }, { label: 'No' }] }],
  ...more,
})
const rule = (question: string, value: number) => ({ question, op: 'eq', value })

/** A survey with a page that no one sees, and a question that no one can answer. */
const TRAPS = {
  title: 'Traps',
  form: [
    { children: [choice('first', 'Go on?')] },
    {
      condition: { all: [rule('first', 0), rule('first', 1)] },
      title: 'Never',
      children: [choice('never', 'Never asked')],
    },
    {
      condition: rule('first', 1),
      children: [
        {
          idname: 'text-response',
          id: 'trap',
          title: 'Your number?',
          children: [{ required: true, validation: { kind: 'url', maxLength: 5 } }],
        },
      ],
    },
    { children: [choice('last', 'Content?')] },
  ],
  quotas: [
    { name: 'Stuck', when: rule('first', 1), limit: 5, action: 'close' },
    { name: 'All', limit: 50, action: 'close' },
  ],
}

describe('the rehearsal of a survey', () => {
  test('is linked from the builder, and shows dead ends, unseen pages, quotas, paths and answers; stores nothing', async () => {
    const { browser, root, page, person, id } = await openBuilder(world, TRAPS)
    expect(page.text).toContain(`href="${root}rehearsal/"`)
    expect((await browser.get(`${root}rehearsal/`)).text).toContain('Nothing is stored.')
    const { status, text } = await browser.post(`${root}rehearsal/`, { walks: '200', seed: '4' })
    expect(status).toBe(200)
    expect(text).toMatch(/<progress max="200" value="0"[\s\S]*<progress max="200" value="200"/)
    expect(text).toMatch(/<dt>Could not go on<\/dt><dd>\d+ of 200/)
    expect(text).toMatch(
      new RegExp(`<li><a href="${root}#question-trap">Your number\\?</a>: “[^”]*” <span class="soft">\\d+ of 200`),
    )
    expect(text).toContain(
      `<li><a href="${root}#page-2">Page 2: Never</a>: No respondent can have the answers that it needs.</li>`,
    )
    expect(text).toContain('<strong>Stuck</strong>: No one counted towards it. It probably never fills.')
    expect(text).toMatch(
      /<strong>All<\/strong>: (\d+) of \1 complete responses counted towards it. It is full after about 50 responses./,
    )
    expect(text).toMatch(/<th scope="row">1, 4<\/th><td>finished<\/td>/)
    expect(text).toMatch(/<th scope="row">1, 3<\/th><td>could not go on<\/td>/)
    expect(text).toContain('<th scope="col" dir="auto">Content?</th>')
    expect(text).toContain('Seed 4:')
    expect(text.trimEnd()).toMatch(/<\/html>$/)
    expect((await person.get(`/api/v3/surveys/${id}/responses/`)).body.count).toBe(0)
    const german = await browser.post(`${root}rehearsal/`, { walks: '200' }, { 'accept-language': 'de' })
    expect(german.text).toContain('<h2 id="dead-ends">Sackgassen</h2>')
    expect(german.text).toContain('200 von 200 Durchgängen')
  })

  test('says of a survey without questions that there is nothing to rehearse', async () => {
    const { browser, root } = await openBuilder(world, { title: 'Empty' })
    const { text } = await browser.post(`${root}rehearsal/`, { walks: 'many' })
    expect(text).toContain('The survey has no questions yet.')
  })

  test('is open to members with the role Test, and to no one else', async () => {
    const { root, person, id } = await openBuilder(world, TRAPS)
    const [tester, analyst] = [await world.person(), await world.person()]
    await shareWith(person, id, tester, 'Test')
    await shareWith(person, id, analyst, 'Analyze')
    expect((await (await signInAs(tester)).post(`${root}rehearsal/`, { walks: '200' })).status).toBe(200)
    expect((await (await signInAs(analyst)).post(`${root}rehearsal/`, {})).status).toBe(403)
    expect((await (await signInAs(await world.person())).post(`${root}rehearsal/`, {})).status).toBe(404)
  })

  test('writes runs of pages in short', () => {
    expect([[1, 2, 3, 7], [1], [1, 3, 5, 6], []].map(runsOf)).toEqual(['1–3, 7', '1', '1, 3, 5–6', ''])
  })
})
