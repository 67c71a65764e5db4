import { describe, expect, test } from '@jest/globals'
import { respond } from '../support/respondents.ts'
import { counts, stored } from '../support/responses.ts'
import { surveyOf } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { everything } from './sample-surveys.ts'
import { analyst, FULL, listed, ten } from './survey-owner.ts'

const world = useWorld()
const plain = (text: string) =>
  text
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ')

describe('the page of a response', () => {
  test('shows the answer to every question and the metadata', async () => {
    const { browser, id, top } = await analyst(world)
    const { id: one, key } = await respond(world, id, {
      answers: FULL,
      completed: 0,
      username: 'ann',
      inviteEmail: 'ann@example.org',
      completionTime: 3725,
      weightedScore: 12.5,
    })
    const page = await browser.get(`${top}${one}/`)
    const text = plain(page.text)
    expect(text).toContain('Which bread do you eat most? Another one: Pumpernickel Why rye? No answer')
    expect(text).toContain('What do you put on it? Butter Jam Do you toast it? Yes')
    expect(text).toContain('do you eat breakfast at home? Always do you eat alone? Never')
    expect(text).toContain('When do you get up? 06:30 Source Hidden leaflet')
    expect(page.text).toContain('<ol><li>Tea</li><li>Coffee</li><li>Juice</li></ol>')
    expect(text).toContain('Duration 1 h 2 min 5 s')
    expect(text).toContain('Score 12.5')
    expect(text).toContain('Username ann IP address 203.0.113.7')
    expect(text).toContain('Invite email ann@example.org')
    expect(page.text).toMatch(new RegExp(`<a class="address" href="${world.base}/surveys/[^"]*/${key}/"`))
    const own = new RegExp(`${world.base}(/surveys/[^"]*/${key}/)"`).exec(page.text)![1]!
    expect((await browser.get(own)).text).toContain('What is your name?')
    expect((await browser.get(`${top}${one}/?view-language=fr`)).text).toContain('Quel pain mangez-vous le plus ?')
  })

  test('does not identify respondents of an anonymous survey, nor does the list', async () => {
    const { browser, person } = await analyst(world)
    const { survey } = await surveyOf(world, person, everything, { anonymous: true })
    const top = `/account/surveys/${survey.id}/responses/`
    const { id: one } = await respond(world, survey.id, { username: 'secret-ann', inviteEmail: 'secret@example.org' })
    for (const path of [`${top}${one}/`, `${top}?view-column=_invite_email&view-column=_invite_name`]) {
      const { text } = await browser.get(path)
      expect(text).not.toMatch(/secret|203\.0\.113\.7/)
    }
    expect(listed((await browser.get(`${top}?_username=secret-ann`)).text)).toEqual([])
  })

  test('links to the previous and next response of the filtered list', async () => {
    const { browser, id, top } = await analyst(world)
    const ids = await ten(world, id)
    const links = async (path: string) =>
      [...(await browser.get(path)).text.matchAll(/<a href="[^"]*\/(\d+)\/\??([^"]*)" rel="(\w+)">/g)].map(
        ([, to, search, rel]) => [rel, Number(to), search],
      )
    expect(await links(`${top}${ids[4]}/?bread=1`)).toEqual([
      ['prev', ids[7], 'bread=1'],
      ['next', ids[1], 'bread=1'],
    ])
    expect(await links(`${top}${ids[0]}/?view-order=oldest`)).toEqual([['next', ids[1], 'view-order=oldest']])
  })

  test('changes the status, and deletes the response after a confirmation', async () => {
    const { browser, id, top } = await analyst(world)
    const ids = await ten(world, id)
    const set = await browser.post(`${top}${ids[0]}/status/?bread=0`, { completed: '2' })
    expect(set).toMatchObject({ status: 303, to: `${top}${ids[0]}/?bread=0` })
    expect(await stored(world, id, ids[0]!)).toMatchObject({ completed: 2 })
    expect((await browser.post(`${top}${ids[0]}/status/`, { completed: '3' })).status).toBe(422)
    expect((await browser.get(`${top}${ids[1]}/delete/?bread=1`)).text).toContain(`Delete response ${ids[1]}?`)
    expect(await browser.post(`${top}${ids[1]}/delete/?bread=1`)).toMatchObject({ status: 303, to: `${top}?bread=1` })
    expect((await browser.get(`${top}${ids[1]}/`)).status).toBe(404)
    expect((await browser.get(`${top}0/`)).status).toBe(404)
    expect(await counts(world, id)).toEqual({ rows: 9, feed: 9, collectors: 9 })
  })

  test('deletes several responses after a confirmation', async () => {
    const { browser, id, top } = await analyst(world)
    const ids = await ten(world, id)
    expect(await browser.post(`${top}delete/`)).toMatchObject({ status: 303, to: top })
    const two = new URLSearchParams(ids.slice(0, 2).map((one): [string, string] => ['id', String(one)]))
    const send = (fields: URLSearchParams) =>
      fetch(`${world.base}${top}delete/?nps<5`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams([...fields, ['_csrf', browser.csrf]]),
        headers: {
          origin: world.base,
          cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        },
      })
    await browser.get(top)
    const asked = await (await send(two)).text()
    expect(asked).toContain('Delete 2 responses?')
    expect((await counts(world, id)).rows).toBe(10)
    two.append('sure', 'yes')
    expect((await send(two)).status).toBe(303)
    expect(await counts(world, id)).toEqual({ rows: 8, feed: 8, collectors: 8 })
    expect((await send(two)).status).toBe(404)
  })
})
