import { beforeAll, describe, expect, test } from '@jest/globals'
import { insertContacts } from '../support/contacts.ts'
import { createDraft, sendDraft } from '../support/emails.ts'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { makeSurvey, TWO_PAGES } from '../support/responses.ts'
import { onEveryScreen } from '../support/screens.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
let id: number
let root: string

const DAY_MS = 86_400_000

/** Posts complete responses on each of the days before today. */
async function submitDaily(counts: readonly number[], a: string): Promise<void> {
  const now = world.now
  for (const [index, count] of counts.entries()) {
    world.now = new Date(now.getTime() - (counts.length - index) * DAY_MS)
    for (let each = 0; each < count; each += 1)
      await ann.post(`/api/v3/surveys/${id}/responses/`, { json: { a, _completed: 1 } })
  }
  world.now = now
}

beforeAll(async () => {
  ann = await world.person()
  const quota = (name: string, limit: number, value: string) => ({
    ...{ name, limit, action: 'terminate' },
    when: { all: [{ question: 'a', op: 'eq', value }] },
  })
  const quotas = [quota('Tea drinkers', 40, 'tea'), quota('Mate drinkers', 20, 'mate'), quota('Cocoa', 2, 'cocoa')]
  id = await makeSurvey(ann, { ...TWO_PAGES, quotas }, { max_responses: 120 })
  root = `/account/surveys/${id}/fieldwork/`
  await submitDaily([4, 6, 5, 7, 5], 'tea')
  await submitDaily([1], 'mate')
  await submitDaily([1, 1], 'cocoa')
  const { body: poster } = await ann.post(`/api/v3/surveys/${id}/collectors/`, { json: { name: 'Poster' } })
  for (const pagepath of ['1', '1', '1,2'])
    await respond(world, id, { pagepath, completed: pagepath === '1,2' ? 1 : 0, collectorId: poster.id })
  const lists = [await insertContacts(world, ann, 5, 'Members'), await insertContacts(world, ann, 3, 'Partners')]
  await sendDraft(
    ann,
    await createDraft(
      ann,
      id,
      lists.map((list) => ({ list })),
    ),
  )
  await world.runJobs()
})

describe('the fieldwork board', () => {
  test('shows quotas, response rates, collectors, drop-off, the closing day and what the forecast assumes', async () => {
    const { status, text } = await (await signInAs(ann)).get(root)
    expect(status).toBe(200)
    const rows = [...text.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row]) =>
      row!
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Tea drinkers 40 27 13 17 Jan 2026 between 1\d Jan 2026 and \d+ Jan 2026$/),
        'Mate drinkers 20 1 19 too few responses',
        'Cocoa 2 2 0 Full',
        'All 8 8 0 0 0 0 0% 0%',
        'By contact list',
        'Members 5 5 0 0 0 0 0% 0%',
        'Poster 3 1 2 0 33.3%',
      ]),
    )
    expect(text).toContain('the pace of the last 5 whole days: 30 complete responses, 6 a day.')
    expect(text).toMatch(/The response limit is reached\s+between 2\d Jan 2026 and \d+ (Jan|Feb) 2026/)
    expect(text).toContain('Drop-off by page')
  })

  test('is shown to those who may see reports: 403 for another role, 404 for strangers, and no tab for either', async () => {
    const ben = await world.person()
    const group = await makeGroup(ann, 'Fieldwork')
    await addMember(ann, group, ben, 'Edit')
    await share(ann, id, group)
    const browser = await signInAs(ben)
    expect((await browser.get(root)).status).toBe(403)
    expect((await browser.get(`/account/surveys/${id}/`)).text).not.toContain('fieldwork/')
    expect((await (await signInAs(await world.person())).get(root)).status).toBe(404)
    expect((await world.anonymous.get(root)).headers.get('location')).toContain('/accounts/login/')
    await addMember(ann, group, ben, 'Analyze')
    const { status, text } = await browser.get(root)
    expect(status).toBe(200)
    // The contact lists of the owner are not those of the colleague.
    expect(text).not.toContain('Members')
    expect(text).toContain('Response rates of invitations')
  })

  test('has neither quotas, rates nor a forecast for a new survey', async () => {
    const { text } = await (await signInAs(ann)).get(`/account/surveys/${await makeSurvey(ann, TWO_PAGES)}/fieldwork/`)
    expect(text).toContain('There is no forecast before 3 whole days with 10 complete responses.')
    expect(text).not.toContain('Response rates of invitations')
    expect(text).not.toContain('id="quotas"')
  })
})

onEveryScreen('the fieldwork board', 'has no accessibility violations', async ({ page, expectClean, signIn }) => {
  await page.goto(world.base + root)
  await signIn(ann)
  await page.getByRole('heading', { name: 'Quotas' }).waitFor()
  await expectClean('fieldwork')
})
