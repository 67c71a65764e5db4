import { describe, expect, test } from '@jest/globals'
import { signInAs } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const survey = (...titles: string[]) => ({
  title: 'Tea',
  form: [{ children: titles.map((title, index) => ({ idname: 'text-response', id: `q${index}`, title })) }],
})

async function openVersions(...structures: [object, ...object[]]) {
  const person = await world.person()
  const [first, ...others] = structures
  const id = await makeSurvey(person, first)
  for (const structure of others) await person.put(`/api/v3/surveys/${id}/structure/`, { json: { structure } })
  const browser = await signInAs(person)
  const root = `/account/surveys/${id}/edit/versions/`
  const titles = async () =>
    (await person.get(`/api/v3/surveys/${id}/structure/`)).body.form[0].children.map(
      ({ title }: { title: { en: string } }) => title.en,
    )
  return { person, browser, root, titles }
}

describe('the versions page', () => {
  test('lists versions with author, time and changes, newest first', async () => {
    const { browser, root, person } = await openVersions(survey('A'), survey('A', 'B'), survey('A <i>', 'B'))
    const { text } = await browser.get(root)
    const entries = [
      ...text.matchAll(/Version (\d)<\/a>[\s\S]*?<p>([^<]*)<\/p><p class="soft">(\w+), <time[^>]*>([^<]*)</g),
    ]
    expect(entries.map(([, ...parts]) => parts)).toEqual([
      ['3', '1 question changed', person.actor.username, '15 Jan 2026, 12:00 UTC'],
      ['2', '1 question added', person.actor.username, '15 Jan 2026, 12:00 UTC'],
      ['1', 'First version', person.actor.username, '15 Jan 2026, 12:00 UTC'],
    ])
    expect(text.match(/class="tag">current/g)).toHaveLength(1)
    expect((await browser.get(root, { 'accept-language': 'de' })).text).toContain('<p>1 Frage hinzugefügt</p>')
  })

  test('shows twenty versions per page, each with the changes that it made', async () => {
    const { browser, root } = await openVersions(
      survey('Title'),
      ...Array.from({ length: 21 }, (_, n) => survey(`Title ${n}`)),
    )
    const first = await browser.get(root)
    expect(first.text.match(/<li><div><h2>/g)).toHaveLength(20)
    expect(first.text.match(/1 question changed/g)).toHaveLength(20)
    const second = await browser.get(`${root}?page=2`)
    expect(second.text).toContain('First version')
    expect(second.text).toContain('Page 2 of 2')
  })

  test('compares two versions by question and by line', async () => {
    const { browser, root } = await openVersions(survey('A'), survey('A <i>', 'B'))
    const { text } = await browser.get(`${root}diff/?from=1&to=2`)
    expect(text).toContain('Added on page 1: <strong>B</strong>')
    expect(text).toContain('Changed: <strong>A &lt;i&gt;</strong> (title)')
    expect(text).toMatch(
      /<tr class="removed"><td>\d+<\/td><td><\/td><td aria-hidden="true">−<\/td><td>.*removed: .*A&quot;/,
    )
    expect(text).toMatch(
      /<tr class="added"><td><\/td><td>\d+<\/td><td aria-hidden="true">\+<\/td><td>.*added: .*A &lt;i&gt;&quot;/,
    )
    const same = await browser.get(`${root}diff/?from=2&to=2`)
    expect(same.text).toContain('No differences.')
    expect((await browser.get(`${root}diff/?from=1&to=9`)).status).toBe(404)
  })

  test('shows a version, and after a confirmation restores it as a new version', async () => {
    const { browser, root, titles } = await openVersions(survey('A'), survey('B'))
    expect((await browser.get(`${root}1/`)).text).toContain('&quot;A&quot;')
    expect((await browser.get(`${root}1/restore/`)).text).toContain('Restore version 1?')
    expect(await titles()).toEqual(['B'])
    expect((await browser.post(`${root}1/restore/`)).to).toBe(root)
    expect((await browser.get(root)).text).toContain('Version 1 restored as version 3.')
    expect(await titles()).toEqual(['A'])
    expect((await browser.get(`${root}7/`)).status).toBe(404)
    expect((await browser.post(`${root}7/restore/`)).status).toBe(404)
  })
})
