import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { respond } from '../support/respondents.ts'
import { stored } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'
import { FULL_ANSWERS, signInOwner } from './survey-owner.ts'

const world = useWorld()

/** Signs in an owner and stores a complete response. */
async function openResponse() {
  const { browser, id, root, person } = await signInOwner(world)
  const { id: response } = await respond(world, id, { answers: FULL_ANSWERS })
  const answers = async () => (await stored(world, id, response))?.answers
  return { browser, survey: id, root, response, answers, person }
}

/** Returns the addresses of the links with which a user edits answers, by question. */
const editLinks = (markup: string): Record<string, string> =>
  Object.fromEntries(
    [...markup.matchAll(/href="([^"]*\/answer\/[^"]*question=([^"&]*))"/g)].map(([, path, id]) => [
      decodeURIComponent(id!),
      path!.replaceAll('&amp;', '&'),
    ]),
  )

/** Returns the values that a browser would submit with the form of an answer. */
function valuesOf(markup: string): [string, string][] {
  const form = /<form method="post" class="card">.*?<\/form>/s.exec(markup)![0]
  const attribute = (tag: string, name: string) => unescapeHtml(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
  const values: [string, string][] = []
  for (const [control] of form.matchAll(/<input[^>]*>|<textarea.*?<\/textarea>|<select.*?<\/select>/gs)) {
    if (/type="checkbox"/.test(control) && !/ checked/.test(control)) continue
    const name = attribute(control, 'name')
    if (control.startsWith('<textarea')) values.push([name, unescapeHtml(/>(.*)<\/textarea>/s.exec(control)![1]!)])
    else if (control.startsWith('<select'))
      values.push([name, attribute(/<option[^>]* selected/.exec(control)?.[0] ?? '', 'value')])
    else values.push([name, attribute(control, 'value')])
  }
  return values
}

describe('the form of an answer', () => {
  test('shows the stored answer of every question, and saving it unchanged changes nothing', async () => {
    const { browser, root, response, answers } = await openResponse()
    const before = await answers()
    const links = editLinks((await browser.get(`${root}${response}/`)).text)
    expect(Object.keys(links).length).toBeGreaterThan(8)
    for (const path of Object.values(links)) {
      const saved = await browser.post(path, valuesOf((await browser.get(path)).text))
      expect(saved.status).toBe(303)
    }
    expect(await answers()).toEqual(before)
    expect((await browser.get(`${root}${response}/`)).text).not.toContain('id="history"')
  })

  test('changes an answer, and the history names the old and the new one, the user and the reason', async () => {
    const { browser, root, response, answers, person } = await openResponse()
    const links = editLinks((await browser.get(`${root}${response}/`)).text)
    const [id, path] = Object.entries(links).find(([name]) => typeof FULL_ANSWERS[name as never] === 'string')!
    await browser.get(path)
    await browser.post(path, { [id]: 'Corrected', reason: 'She called' })
    expect((await answers())![id]).toBe('Corrected')
    const { text } = await browser.get(`${root}${response}/`)
    expect(text).toContain(`<del>${FULL_ANSWERS[id as never]}</del> → Corrected`)
    expect(text).toContain(person.actor.username)
    expect(text).toContain('She called')
  })

  test('shows the error at its field with the entered values, and changes nothing', async () => {
    const { browser, root, response, answers } = await openResponse()
    const before = await answers()
    const links = editLinks((await browser.get(`${root}${response}/`)).text)
    const rejected = await browser.post(links.when!, { when: 'at noon', reason: 'A typing error' })
    expect(rejected.status).toBe(422)
    expect(rejected.text).toContain('aria-invalid="true"')
    expect(rejected.text).toContain('value="at noon"')
    expect(rejected.text).toContain('A typing error')
    expect(await answers()).toEqual(before)
  })

  test('does not exist for an unknown question', async () => {
    const { browser, root, response } = await openResponse()
    expect((await browser.get(`${root}${response}/answer/?question=none`)).status).toBe(404)
  })
})

describe('the page of the trash', () => {
  test('lists a deleted response, and restores it', async () => {
    const { browser, root, response, survey } = await openResponse()
    const row = await stored(world, survey, response)
    const confirmation = await browser.get(`${root}${response}/delete/`)
    expect(confirmation.text).toContain('moves to the trash, and is erased after 30 days')
    await browser.post(`${root}${response}/delete/`)
    expect(await stored(world, survey, response)).toBeUndefined()
    const trash = await browser.get(`${root}trash/`)
    expect(trash.text).toMatch(/<th scope="row" role="rowheader">1<\/th>/)
    await browser.post(`${root}trash/${response}/restore/`)
    expect(await stored(world, survey, response)).toEqual(row)
    expect((await browser.get(`${root}trash/`)).text).toContain('The trash is empty.')
    expect((await browser.get(`${root}${response}/`)).text).toContain('Restored')
  })

  test('erases all after a confirmation', async () => {
    const { browser, root, response } = await openResponse()
    await browser.get(`${root}${response}/delete/`)
    await browser.post(`${root}${response}/delete/`)
    expect((await browser.get(`${root}trash/empty/`)).text).toContain('This permanently deletes 1 response')
    await browser.post(`${root}trash/empty/`)
    expect((await browser.get(`${root}trash/`)).text).toContain('The trash is empty.')
  })
})
