import { describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'
import { Visitor } from './visitor.ts'

const world = useWorld()
const survey = (...titles: string[]) => ({
  title: 'Tea',
  form: [{ children: titles.map((title, index) => ({ idname: 'text-response', id: `q${index}`, title })) }],
})

async function withVersions(...structures: [object, ...object[]]) {
  const person = await world.person()
  const [first, ...later] = structures
  const id = await makeSurvey(person, first)
  for (const structure of later) await person.put(`/api/v3/surveys/${id}/structure/`, { json: { structure } })
  const browser = new Visitor(world.base)
  await browser.signIn(person.actor.username, person.password)
  const root = `/account/surveys/${id}/edit/versions/`
  const titles = async () =>
    (await person.get(`/api/v3/surveys/${id}/structure/`)).body.form[0].children.map(
      ({ title }: { title: { en: string } }) => title.en,
    )
  return { person, browser, root, titles }
}

describe('the versions of a structure', () => {
  test('are listed, the newest first: who, when, and what changed', async () => {
    const { browser, root, person } = await withVersions(survey('A'), survey('A', 'B'), survey('A <i>', 'B'))
    const { text } = await browser.get(root)
    const told = [
      ...text.matchAll(/Version (\d)<\/a>[\s\S]*?<p>([^<]*)<\/p><p class="soft">(\w+), <time[^>]*>([^<]*)</g),
    ]
    expect(told.map(([, ...parts]) => parts)).toEqual([
      ['3', '1 question changed', person.actor.username, '2026-01-15 12:00 UTC'],
      ['2', '1 question added', person.actor.username, '2026-01-15 12:00 UTC'],
      ['1', 'The first one', person.actor.username, '2026-01-15 12:00 UTC'],
    ])
    expect(text.match(/class="tag">current/g)).toHaveLength(1)
  })

  test('twenty a page, the last of each page with what it changed', async () => {
    const { browser, root } = await withVersions(
      survey('Title'),
      ...Array.from({ length: 21 }, (_, n) => survey(`Title ${n}`)),
    )
    const first = await browser.get(root)
    expect(first.text.match(/<li><div><h2>/g)).toHaveLength(20)
    expect(first.text.match(/1 question changed/g)).toHaveLength(20)
    const second = await browser.get(`${root}?page=2`)
    expect(second.text).toContain('The first one')
    expect(second.text).toContain('Page 2 of 2')
  })

  test('two of them are compared by question and line by line', async () => {
    const { browser, root } = await withVersions(survey('A'), survey('A <i>', 'B'))
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
    expect(same.text).toContain('The texts are the same.')
    expect((await browser.get(`${root}diff/?from=1&to=9`)).status).toBe(404)
  })

  test('one is looked at, and restored as a new one after a question', async () => {
    const { browser, root, titles } = await withVersions(survey('A'), survey('B'))
    expect((await browser.get(`${root}1/`)).text).toContain('&quot;A&quot;')
    expect((await browser.get(`${root}1/restore/`)).text).toContain('Restore version 1?')
    expect(await titles()).toEqual(['B'])
    expect((await browser.post(`${root}1/restore/`)).to).toBe(root)
    expect((await browser.get(root)).text).toContain('Version 3 says what version 1 said.')
    expect(await titles()).toEqual(['A'])
    expect((await browser.get(`${root}7/`)).status).toBe(404)
    expect((await browser.post(`${root}7/restore/`)).status).toBe(404)
  })
})
