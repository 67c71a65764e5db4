import { describe, expect, test } from '@jest/globals'
import { respond } from '../support/respondents.ts'
import { useWorld } from '../support/world.ts'
import { analyst, FULL, HARM, listed, ten } from './survey-owner.ts'

const world = useWorld()

describe('the list of responses', () => {
  test('shows the survey link and an API request while empty, then the newest responses with labels', async () => {
    const { browser, id, top, person } = await analyst(world)
    const empty = await browser.get(top)
    expect(empty.text).toContain('No responses yet')
    expect(empty.text).toContain(`${world.base}/surveys/${person.actor.username}/bread-and-breakfast/`)
    expect(empty.text).toContain(`${world.base}/api/v3/surveys/${id}/responses/ --data-urlencode`)
    const ids = await ten(world, id)
    const { id: full } = await respond(world, id, { answers: FULL })
    const page = await browser.get(top)
    expect(listed(page.text)).toEqual([full, ...ids.toReversed()])
    expect(page.text).toContain('11 responses')
    expect(page.text).toContain('lang="en">Another one: Pumpernickel</td>')
    expect(page.text).toContain('lang="en">Wheat</td>')
    expect(page.text).toMatch(/<time datetime="2026-01-10T12:00:00.000Z">2026-01-10 12:00 UTC</)
    expect(page.text).toContain('>Incomplete<')
  })

  test('shows an API request that submits a valid response', async () => {
    const { browser, top, person, id } = await analyst(world)
    const line = /<pre[^>]*>([^<]*)</.exec((await browser.get(top)).text.replaceAll('&#39;', "'"))![1]!
    const [, url, data] = /(http:\S+) --data-urlencode '([^']*)'$/.exec(line)!
    const [name, value] = data!.split('=')
    expect((await person.post(new URL(url!).pathname, { form: { [name!]: value! } })).status).toBe(201)
    expect((await browser.get(top)).text).toContain('1 response<')
    expect((await person.get(`/api/v3/surveys/${id}/responses/`)).body.results[0]).toMatchObject({ [name!]: value })
  })

  test('shows and filters collectors if there are several', async () => {
    const { browser, id, top, person } = await analyst(world)
    expect((await browser.get(top)).text).not.toContain('name="collector"')
    const shop = (await person.post(`/api/v3/surveys/${id}/collectors/`, { json: { name: 'In the <shop>' } })).body.id
    const { id: there } = await respond(world, id, { collectorId: shop })
    await respond(world, id)
    expect((await browser.get(top)).text).toContain('data-title="Collector">In the &lt;shop&gt;</td>')
    const { to } = await browser.get(`${top}compose/?part=simple&base=&collector=${shop}`)
    const page = await browser.get(to!)
    expect(listed(page.text)).toEqual([there])
    expect(page.text).toContain('Collector is In the &lt;shop&gt;')
  })

  test('keeps language, columns and order in the address', async () => {
    const { browser, id, top } = await analyst(world)
    const ids = await ten(world, id)
    await respond(world, id, { answers: FULL, inviteEmail: 'ann@example.org' })
    const form = 'part=view&base=_completed%3D1&column=rank&column=grid&column=_invite_email&language=fr&order=oldest'
    const { to } = await browser.get(`${top}compose/?${form}`)
    expect(to).toBe(
      `${top}?_completed=1&view-column=rank&view-column=grid&view-column=_invite_email&view-language=fr&view-order=oldest`,
    )
    const page = await browser.get(to!)
    expect(listed(page.text).slice(0, 5)).toEqual(ids.filter((_, n) => n % 2 === 1))
    expect(page.text).toContain('lang="fr">1. Thé, 2. Café, 3. Jus</td>')
    expect(page.text).toContain('déjeunez-vous à la maison ? Toujours; mangez-vous seul ? Jamais')
    expect(page.text).toContain('data-title="Invite email">ann@example.org</td>')
    expect(page.text).not.toContain('>Started</th>')
  })

  test('pages through fifty responses at a time without repeats or gaps while responses arrive', async () => {
    const { browser, id, top } = await analyst(world)
    const ids: number[] = []
    for (let n = 0; n < 120; n += 1) ids.push((await respond(world, id, { answers: { nps: n % 11 } })).id)
    const first = await browser.get(top)
    expect(listed(first.text)).toEqual(ids.slice(70).toReversed())
    expect(first.text).not.toContain('rel="prev"')
    await respond(world, id)
    const next = async (text: string, rel: string) =>
      browser.get(new RegExp(`<a href="([^"]*)" rel="${rel}"`).exec(text)![1]!.replaceAll('&amp;', '&'))
    const second = await next(first.text, 'next')
    expect(listed(second.text)).toEqual(ids.slice(20, 70).toReversed())
    const third = await next(second.text, 'next')
    expect(listed(third.text)).toEqual(ids.slice(0, 20).toReversed())
    expect(third.text).not.toContain('rel="next"')
    expect(listed((await next(third.text, 'prev')).text)).toEqual(listed(second.text))
    const filtered = await browser.get(`${top}?nps<=4`)
    expect(filtered.text).toContain('55 of 121 responses match')
    expect(listed((await next(filtered.text, 'next')).text)).toHaveLength(5)
  })

  test('escapes markup in answers and truncates long ones', async () => {
    const { browser, id, top } = await analyst(world)
    const long = 'word '.repeat(400)
    const { id: one } = await respond(world, id, {
      answers: { name: HARM, 'bread\\other': HARM, mail: long, texts_0: HARM, source: HARM },
      referrer: HARM,
      username: HARM,
      inviteName: HARM,
      language: HARM,
    })
    const everything = 'view-column=name&view-column=texts&view-column=source&view-column=_language&view-column=bread'
    for (const path of [`${top}?name=${encodeURIComponent(HARM)}`, `${top}?${everything}`, `${top}${one}/`]) {
      const { text, status } = await browser.get(path)
      expect(status).toBe(200)
      expect(text).not.toMatch(/<script>alert|<img src=x/)
      expect(text).toContain('&lt;script&gt;alert(1)')
    }
    expect((await browser.get(top)).text).not.toContain(long.trim())
    expect((await browser.get(`${top}${one}/`)).text).toContain(long.trim())
  })

  test('counts the new responses that match the filter', async () => {
    const { browser, id, top } = await analyst(world)
    await ten(world, id)
    const live = async (path: string) =>
      /data-live="([^"]*)"/.exec((await browser.get(path)).text)![1]!.replaceAll('&amp;', '&')
    const [all, complete] = [await live(top), await live(`${top}?_completed=1`)]
    const counted = async (path: string) => JSON.parse((await browser.get(path)).text).count
    expect([await counted(all), await counted(complete)]).toEqual([0, 0])
    await respond(world, id, { completed: 0 })
    const { id: last } = await respond(world, id, { completed: 1 })
    expect([await counted(all), await counted(complete)]).toEqual([2, 1])
    expect(JSON.parse((await browser.get(complete)).text).text).toBe('Show 1 new response')
    await browser.post(`${top}${last}/delete/`)
    expect([await counted(all), await counted(complete)]).toEqual([1, 0])
  })
})
