import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { respond } from '../support/respondents.ts'
import { useWorld } from '../support/world.ts'
import { addTenResponses, FULL_ANSWERS, responseIdsIn, signInOwner, XSS_TEXT } from './survey-owner.ts'

const world = useWorld()

describe('the list of responses', () => {
  test('shows the survey link and an API request while it is empty, then the newest responses with labels', async () => {
    const { browser, id, root, person } = await signInOwner(world)
    const empty = await browser.get(root)
    expect(empty.text).toContain('No responses yet')
    expect(empty.text).toContain(`${world.base}/surveys/${person.actor.username}/bread-and-breakfast/`)
    expect(empty.text).toContain(`${world.base}/api/v3/surveys/${id}/responses/ --data-urlencode`)
    const ids = await addTenResponses(world, id)
    const { id: fullId } = await respond(world, id, { answers: FULL_ANSWERS })
    const page = await browser.get(root)
    expect(responseIdsIn(page.text)).toEqual([fullId, ...ids.toReversed()])
    expect(page.text).toContain('11 responses')
    expect(page.text).toContain('lang="en">Another one: Pumpernickel</td>')
    expect(page.text).toContain('lang="en">Wheat</td>')
    expect(page.text).toMatch(/<time datetime="2026-01-10T12:00:00.000Z">10 Jan 2026, 12:00 UTC</)
    expect(page.text).toContain('>Incomplete<')
  })

  test('shows an API request that submits a valid response', async () => {
    const { browser, root, person, id } = await signInOwner(world)
    const command = unescapeHtml(/<pre[^>]*>([^<]*)</.exec((await browser.get(root)).text)![1]!)
    const [, url, data] = /(http:\S+) --data-urlencode '([^']*)'$/.exec(command)!
    const [name, value] = data!.split('=')
    expect((await person.post(new URL(url!).pathname, { form: { [name!]: value! } })).status).toBe(201)
    expect((await browser.get(root)).text).toContain('1 response<')
    expect((await person.get(`/api/v3/surveys/${id}/responses/`)).body.results[0]).toMatchObject({ [name!]: value })
  })

  test('shows the collector of each response, and filters by collector, if the survey has several', async () => {
    const { browser, id, root, person } = await signInOwner(world)
    expect((await browser.get(root)).text).not.toContain('name="collector"')
    const shopId = (await person.post(`/api/v3/surveys/${id}/collectors/`, { json: { name: 'In the <shop>' } })).body.id
    const { id: shopResponse } = await respond(world, id, { collectorId: shopId })
    await respond(world, id)
    expect((await browser.get(root)).text).toContain('data-title="Collector">In the &lt;shop&gt;</td>')
    const { to } = await browser.get(`${root}compose/?part=simple&base=&collector=${shopId}`)
    const page = await browser.get(to!)
    expect(responseIdsIn(page.text)).toEqual([shopResponse])
    expect(page.text).toContain('Collector is In the &lt;shop&gt;')
  })

  test('keeps language, columns and order in the URL', async () => {
    const { browser, id, root } = await signInOwner(world)
    const ids = await addTenResponses(world, id)
    await respond(world, id, { answers: FULL_ANSWERS, inviteEmail: 'ann@example.org' })
    const form = 'part=view&base=_completed%3D1&column=rank&column=grid&column=_invite_email&language=fr&order=oldest'
    const { to } = await browser.get(`${root}compose/?${form}`)
    expect(to).toBe(
      `${root}?_completed=1&view-column=rank&view-column=grid&view-column=_invite_email&view-language=fr&view-order=oldest`,
    )
    const page = await browser.get(to!)
    expect(responseIdsIn(page.text).slice(0, 5)).toEqual(ids.filter((_, n) => n % 2 === 1))
    expect(page.text).toContain('lang="fr">1. Thé, 2. Café, 3. Jus</td>')
    expect(page.text).toContain('déjeunez-vous à la maison ? Toujours; mangez-vous seul ? Jamais')
    expect(page.text).toContain('data-title="Email address of the invited person">ann@example.org</td>')
    expect(page.text).not.toContain('>Started</th>')
  })

  test('shows fifty responses per page, without duplicates or gaps while responses arrive', async () => {
    const { browser, id, root } = await signInOwner(world)
    const ids: number[] = []
    for (let n = 0; n < 120; n += 1) ids.push((await respond(world, id, { answers: { nps: n % 11 } })).id)
    const first = await browser.get(root)
    expect(responseIdsIn(first.text)).toEqual(ids.slice(70).toReversed())
    expect(first.text).not.toContain('rel="prev"')
    await respond(world, id)
    const next = async (text: string, rel: string) =>
      browser.get(unescapeHtml(new RegExp(`<a href="([^"]*)" rel="${rel}"`).exec(text)![1]!))
    const second = await next(first.text, 'next')
    expect(responseIdsIn(second.text)).toEqual(ids.slice(20, 70).toReversed())
    const third = await next(second.text, 'next')
    expect(responseIdsIn(third.text)).toEqual(ids.slice(0, 20).toReversed())
    expect(third.text).not.toContain('rel="next"')
    expect(responseIdsIn((await next(third.text, 'prev')).text)).toEqual(responseIdsIn(second.text))
    const filtered = await browser.get(`${root}?nps<=4`)
    expect(filtered.text).toContain('55 of 121 responses match')
    expect(responseIdsIn((await next(filtered.text, 'next')).text)).toHaveLength(5)
  })

  test('escapes markup in answers and truncates long ones', async () => {
    const { browser, id, root } = await signInOwner(world)
    const long = 'word '.repeat(400)
    const { id: responseId } = await respond(world, id, {
      answers: { name: XSS_TEXT, 'bread\\other': XSS_TEXT, mail: long, texts_0: XSS_TEXT, source: XSS_TEXT },
      referrer: XSS_TEXT,
      username: XSS_TEXT,
      inviteName: XSS_TEXT,
      language: XSS_TEXT,
    })
    const columns = 'view-column=name&view-column=texts&view-column=source&view-column=_language&view-column=bread'
    for (const path of [
      `${root}?name=${encodeURIComponent(XSS_TEXT)}`,
      `${root}?${columns}`,
      `${root}${responseId}/`,
    ]) {
      const { text, status } = await browser.get(path)
      expect(status).toBe(200)
      expect(text).not.toMatch(/<script>alert|<img src=x/)
      expect(text).toContain('&lt;script&gt;alert(1)')
    }
    expect((await browser.get(root)).text).not.toContain(long.trim())
    expect((await browser.get(`${root}${responseId}/`)).text).toContain(long.trim())
  })

  test('counts the new responses that match the filter', async () => {
    const { browser, id, root } = await signInOwner(world)
    await addTenResponses(world, id)
    const countUrl = async (path: string) =>
      unescapeHtml(/data-live="([^"]*)"/.exec((await browser.get(path)).text)![1]!)
    const [all, complete] = [await countUrl(root), await countUrl(`${root}?_completed=1`)]
    const countAt = async (path: string) => JSON.parse((await browser.get(path)).text).count
    expect([await countAt(all), await countAt(complete)]).toEqual([0, 0])
    await respond(world, id, { completed: 0 })
    const { id: last } = await respond(world, id, { completed: 1 })
    expect([await countAt(all), await countAt(complete)]).toEqual([2, 1])
    expect(JSON.parse((await browser.get(complete)).text).text).toBe('Show 1 new response')
    await browser.post(`${root}${last}/delete/`)
    expect([await countAt(all), await countAt(complete)]).toEqual([1, 0])
  })
})
