import { describe, expect, test } from '@jest/globals'
import { respond } from '../support/respondents.ts'
import { counts, stored } from '../support/responses.ts'
import { addSurvey } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { breakfastSurvey } from './sample-surveys.ts'
import { addTenResponses, FULL_ANSWERS, responseIdsIn, signInOwner } from './survey-owner.ts'

const world = useWorld()
const textIn = (markup: string) =>
  markup
    .replace(/<p class="edit"><a [^>]*>Edit<\/a><\/p>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ')

describe('the page of a response', () => {
  test('shows the answer to every question and the metadata', async () => {
    const { browser, id, root } = await signInOwner(world)
    const { id: responseId, key } = await respond(world, id, {
      answers: FULL_ANSWERS,
      completed: 0,
      username: 'ann',
      inviteEmail: 'ann@example.org',
      completionTime: 3725,
      weightedScore: 12.5,
    })
    const page = await browser.get(`${root}${responseId}/`)
    const text = textIn(page.text)
    expect(text).toContain('Which bread do you eat most? Another one: Pumpernickel Why rye? No answer')
    expect(text).toContain('What do you put on it? Butter Jam Do you toast it? Yes')
    expect(text).toContain('do you eat breakfast at home? Always do you eat alone? Never')
    expect(text).toContain('When do you get up? 6:30 AM Source Hidden leaflet')
    expect(page.text).toContain('<ol><li>Tea</li><li>Coffee</li><li>Juice</li></ol>')
    expect(text).toContain('Duration 1 h 2 min 5 s')
    expect(text).toContain('Score 12.5')
    expect(text).toContain('Username ann IP address 203.0.113.7')
    expect(text).toContain('Email address of the invited person ann@example.org')
    expect(page.text).toMatch(new RegExp(`<a class="address" href="${world.base}/surveys/[^"]*/${key}/"`))
    const publicPath = new RegExp(`${world.base}(/surveys/[^"]*/${key}/)"`).exec(page.text)![1]!
    expect((await browser.get(publicPath)).text).toContain('What is your name?')
    expect((await browser.get(`${root}${responseId}/?view-language=fr`)).text).toContain(
      'Quel pain mangez-vous le plus ?',
    )
  })

  test('hides the identity of the respondent of an anonymous survey, as the list of responses does', async () => {
    const { browser, person } = await signInOwner(world)
    const { survey } = await addSurvey(person, breakfastSurvey, { anonymous: true })
    const root = `/account/surveys/${survey.id}/responses/`
    const { id: responseId } = await respond(world, survey.id, {
      username: 'hidden-user',
      inviteEmail: 'hidden@example.org',
    })
    for (const path of [`${root}${responseId}/`, `${root}?view-column=_invite_email&view-column=_invite_name`]) {
      const { text } = await browser.get(path)
      expect(text).not.toMatch(/hidden-user|hidden@|203\.0\.113\.7/)
    }
    expect(responseIdsIn((await browser.get(`${root}?_username=hidden-user`)).text)).toEqual([])
  })

  test('links to the previous and next response of the filtered list', async () => {
    const { browser, id, root } = await signInOwner(world)
    const ids = await addTenResponses(world, id)
    const links = async (path: string) =>
      [...(await browser.get(path)).text.matchAll(/<a href="[^"]*\/(\d+)\/\??([^"]*)" rel="(\w+)">/g)].map(
        ([, to, search, rel]) => [rel, Number(to), search],
      )
    expect(await links(`${root}${ids[4]}/?bread=1`)).toEqual([
      ['prev', ids[7], 'bread=1'],
      ['next', ids[1], 'bread=1'],
    ])
    expect(await links(`${root}${ids[0]}/?view-order=oldest`)).toEqual([['next', ids[1], 'view-order=oldest']])
  })

  test('changes the status, and deletes the response after a confirmation', async () => {
    const { browser, id, root } = await signInOwner(world)
    const ids = await addTenResponses(world, id)
    const reply = await browser.post(`${root}${ids[0]}/status/?bread=0`, { completed: '2' })
    expect(reply).toMatchObject({ status: 303, to: `${root}${ids[0]}/?bread=0` })
    expect(await stored(world, id, ids[0]!)).toMatchObject({ completed: 2 })
    expect((await browser.post(`${root}${ids[0]}/status/`, { completed: '3' })).status).toBe(422)
    expect((await browser.get(`${root}${ids[1]}/delete/?bread=1`)).text).toContain('Delete response 2?')
    expect(await browser.post(`${root}${ids[1]}/delete/?bread=1`)).toMatchObject({ status: 303, to: `${root}?bread=1` })
    expect((await browser.get(`${root}${ids[1]}/`)).status).toBe(404)
    expect((await browser.get(`${root}0/`)).status).toBe(404)
    expect(await counts(world, id)).toEqual({ rows: 9, feed: 9, collectors: 9 })
  })

  test('deletes several responses after a confirmation', async () => {
    const { browser, id, root } = await signInOwner(world)
    const ids = await addTenResponses(world, id)
    expect(await browser.post(`${root}delete/`)).toMatchObject({ status: 303, to: root })
    const selected = ids.slice(0, 2).map((id): [string, string] => ['id', String(id)])
    const path = `${root}delete/?nps<5`
    await browser.get(root)
    expect((await browser.post(path, selected)).text).toContain('Delete 2 responses?')
    expect((await counts(world, id)).rows).toBe(10)
    const confirmed: [string, string][] = [...selected, ['sure', 'yes']]
    expect((await browser.post(path, confirmed)).status).toBe(303)
    expect(await counts(world, id)).toEqual({ rows: 8, feed: 8, collectors: 8 })
    expect((await browser.post(path, confirmed)).status).toBe(404)
  })
})
