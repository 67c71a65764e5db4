import { beforeAll, describe, expect, test } from '@jest/globals'
import { shareWith } from '../support/groups.ts'
import { HttpBrowser, signInAs } from '../support/http-browser.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey, pageOf, single, text } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
const STRUCTURE = {
  title: 'Work',
  form: [
    pageOf(
      single('team', ['North', 'South', 'West']),
      {
        idname: 'multiple-choice',
        id: 'likes',
        title: 'Likes',
        children: [{ type: 'multi', choices: [{ label: 'Pay' }, { label: 'People' }] }],
      },
      { id: 'years', idname: 'text', title: 'Years', validation: { type: 'number' } },
      text('comment'),
    ),
  ],
}
let owner: Person
let ownerBrowser: HttpBrowser
let id: number
let root: string

beforeAll(async () => {
  owner = await world.person()
  ownerBrowser = await signInAs(owner)
  ;({
    survey: { id },
  } = await addSurvey(owner, STRUCTURE))
  root = `/account/surveys/${id}/reports/`
  await ownerBrowser.get(root)
  await ownerBrowser.post(`${root}sharing/`, { sharing_password: 'open sesame' })
})

async function createReport(fields: Record<string, string>): Promise<{ link: string; path: string }> {
  const { to } = await ownerBrowser.post(`${root}new/`, { scope: 'all', ...fields })
  const { text: page } = await ownerBrowser.get(root)
  const [, link] = new RegExp(`<a href="${to}">.*?<a class="address" href="([^"]*)"`, 's').exec(page)!
  return { link: new URL(link!).pathname, path: to! }
}

async function enterAsGuest(path: string): Promise<HttpBrowser> {
  const browser = new HttpBrowser(world.base)
  await browser.post(path, { password: 'open sesame' })
  return browser
}

const answer = (n: number, team: number) =>
  respond(world, id, { answers: { team, likes: [team % 2], years: String(n), comment: `Comment ${n}` } })

describe('the anonymity threshold of reports [spec 10.8]', () => {
  let all: { link: string; path: string }

  test('hides a report of fewer responses, and publishes it in steps', async () => {
    all = await createReport({ title: 'All', share_text_answers: 'on' })
    const guest = await enterAsGuest(all.link)
    const heading = async () => /<h2[^>]*>([^<]*response[^<]*)<\/h2>/.exec((await guest.get(all.link)).text)?.[1]
    for (let n = 1; n <= 4; n += 1) await answer(n, 0)
    expect(await heading()).toBe('Fewer than 5 responses')
    expect((await guest.get(`${all.link}numbers.csv`)).text).not.toMatch(/,[1-9]/)
    await answer(5, 0)
    expect(await heading()).toBe('5 responses')
    for (let n = 6; n <= 9; n += 1) {
      await answer(n, 1)
      expect(await heading()).toBe('5 responses')
    }
    await answer(10, 0)
    expect(await heading()).toBe('10 responses')
  })

  test('rounds every count, computes shares from rounded counts, and shows no days, numbers, times and responses', async () => {
    const guest = await enterAsGuest(all.link)
    const { text: page } = await guest.get(all.link)
    expect(page).toContain('numbers are rounded down to multiples of 5, and 0 means fewer than 5')
    expect(page).not.toContain('<time')
    expect(page).not.toContain('Responses by day')
    const csv = (await guest.get(`${all.link}numbers.csv`)).text.trim().split('\r\n')
    expect(csv.slice(1).map((line) => line.split(',').slice(0, 6).join(','))).toEqual([
      // Of six and four answers, five would be shown: 100 % would mislead.
      'team,Single team,,,0,',
      'team,Single team,,North,0,0',
      'team,Single team,,South,0,0',
      'team,Single team,,West,0,0',
      'likes,Likes,,,10,',
      'likes,Likes,,Pay,5,50',
      'likes,Likes,,People,0,0',
      'years,Years,,,10,',
      'comment,Text comment,,,10,',
    ])
    for (const path of [
      'days/',
      'days/numbers.csv',
      'days/chart.svg',
      'spread/years/',
      'charts/years/chart.svg',
      'cross-table/',
    ])
      expect([path, (await guest.get(all.link + path)).status]).toEqual([path, 404])
  })

  test('shows texts in steps, without times, and only if the report shares them', async () => {
    await answer(11, 0)
    const guest = await enterAsGuest(all.link)
    const texts = (await guest.get(`${all.link}texts/comment/`)).text
    expect([...texts.matchAll(/Comment \d+/g)].map(([one]) => one).sort()).toEqual(
      Array.from({ length: 10 }, (_, n) => `Comment ${n + 1}`).sort(),
    )
    expect(texts).not.toContain('<time')
    expect((await guest.get(`${all.link}texts/comment/?view-words=comment%2011`)).text).toContain('No answers match.')
    const silent = await createReport({ title: 'Silent' })
    expect((await guest.get(silent.link)).text).not.toMatch(/Comment \d/)
    expect((await guest.get(`${silent.link}texts/comment/`)).status).toBe(404)
  })

  test('withholds a report whose responses differ from those of an earlier one by a few', async () => {
    const rest = await createReport({ title: 'Not South', query: 'team=0' })
    const guest = await enterAsGuest(rest.link)
    expect((await guest.get(rest.link)).text).toContain('Fewer than 5 responses')
    expect((await guest.get(all.link)).text).toContain('Too few answers to show')
    await answer(12, 1)
    await answer(13, 1)
    expect((await guest.get(rest.link)).text).toContain('>5 responses</h2>')
    const small = await createReport({ title: 'West', query: 'team=2' })
    expect((await guest.get(small.link)).text).toContain('Fewer than 5 responses')
  })

  test('holds for members who may not view responses, on pages and in the API', async () => {
    const reader = await world.person()
    await shareWith(owner, id, reader, 'Report')
    const browser = await signInAs(reader)
    const page = await browser.get(all.path)
    expect(page.status).toBe(200)
    expect(page.text).toContain('>10 responses</h2>')
    expect(page.text).not.toMatch(/Cross-table|<form class="filter|\/responses\/\d/)
    expect((await browser.get(`${all.path}?team=1`)).text).toContain('>10 responses</h2>')
    for (const path of ['cross-table/?rows=team&columns=likes', 'days/', 'spread/years/'])
      expect([path, (await browser.get(all.path + path)).status]).toEqual([path, path.startsWith('cross') ? 403 : 404])
    expect((await browser.get(`${root}all/`)).text).toContain('>10 responses</h2>')
    expect((await browser.get(`/account/surveys/${id}/`)).text).not.toMatch(/>13</)

    const base = `/api/v3/surveys/${id}/`
    const reportId = /\/(\d+)\/$/.exec(all.path)![1]
    const { status, body } = await reader.get(`${base}reports/${reportId}/?language=en`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ rounded_to: 5, responses: { total: 10, complete: 10 } })
    expect(JSON.stringify(body)).not.toMatch(/Comment|response_uri/)
    for (const query of ['?team=0', '?_completed=1', '?filter=completed'])
      expect([query, await reader.get(`${base}reports/${reportId}/${query}`)]).toMatchObject([
        query,
        { status: 403, body: { code: 'forbidden' } },
      ])
    expect(await reader.get(`${base}cross-table/?rows=team&columns=likes`)).toMatchObject({ status: 403 })
    expect(await reader.get(base)).toMatchObject({ body: { number_of_responses: 10 } })
    expect(await reader.get('/api/v3/surveys/')).toMatchObject({ body: { results: [{ number_of_responses: 10 }] } })
    expect(await owner.get(base)).toMatchObject({ body: { number_of_responses: 13 } })
    expect((await reader.get(`${base}statistics/`)).body).toMatchObject({
      responses: { total: 10, complete: 10, incomplete: 0, terminated: 0 },
      median_completion_seconds: null,
      last_response_at: null,
    })
  })

  test('shows exact numbers to people who may view responses, and tells them what others see', async () => {
    const { text: page } = await ownerBrowser.get(all.path)
    expect(page).toContain('>13 responses</h2>')
    expect(page).toContain('see numbers rounded down to multiples of 5')
    const viewer = await world.person()
    await shareWith(owner, id, viewer, 'View')
    expect((await (await signInAs(viewer)).get(all.path)).text).toContain('>13 responses</h2>')
  })

  test('is a setting of the survey, and 1 turns it off', async () => {
    const settings = `/api/v3/surveys/${id}/settings/`
    const guest = await enterAsGuest(all.link)
    expect(await owner.put(settings, { json: { anonymity_threshold: 12 } })).toMatchObject({ status: 200 })
    expect((await guest.get(all.link)).text).toContain('>12 responses</h2>')
    for (const anonymity_threshold of [0, 101, 2.5])
      expect(await owner.put(settings, { json: { anonymity_threshold } })).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'anonymity_threshold' }] },
      })
    await owner.put(settings, { json: { anonymity_threshold: 1 } })
    const { text: page } = await guest.get(all.link)
    expect(page).toContain('>13 responses</h2>')
    expect(page).toContain('<time')
    await owner.put(settings, { json: { anonymity_threshold: null } })
    expect((await guest.get(all.link)).text).toContain('>10 responses</h2>')
  })
})
