import { beforeAll, describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { useWorld } from '../support/world.ts'
import { openBuilder } from './builder-owner.ts'

const world = useWorld()
const MB = 1_000_000

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))
const question = (id: string) => ({ idname: 'text-response', id, title: `Question ${id}` })
const large = (pages: number, questions: number) => ({
  title: 'Large',
  form: times(pages, (page) => ({ children: times(questions, (index) => question(`q${page}_${index}`)) })),
})
const cardsIn = ({ text }: { text: string }) => [...text.matchAll(/data-question="([^"]*)"/g)].map(([, id]) => id!)
const linksIn = ({ text }: { text: string }) =>
  [...text.matchAll(/<a href="([^"]*)" data-window/g)].map(([, href]) => unescapeHtml(href!))
const numbersIn = ({ text }: { text: string }) =>
  [...text.matchAll(/<span class="number">(\d+)</g)].map(([, number]) => Number(number))
type Opened = Awaited<ReturnType<typeof openBuilder>>

describe('the builder of a survey of 4,900 questions on 100 pages', () => {
  let opened: Opened
  beforeAll(async () => {
    opened = await openBuilder(world, large(100, 49))
  })

  test('has less than 2 MB, and shows the cards of the first page and a link to each other page', () => {
    const { page, root } = opened
    expect(page.status).toBe(200)
    expect(page.text.length).toBeLessThan(2 * MB)
    expect(cardsIn(page)).toEqual(times(49, (index) => `q0_${index}`))
    expect(linksIn(page)).toEqual(times(99, (index) => `${root}?page=${index + 2}#page-${index + 2}`))
    expect(page.text.match(/<option value="0"/g)).toBeNull()
  })

  test('has a preview and a JSON editor without a second copy of the structure', async () => {
    const { browser, root } = opened
    const preview = await browser.get(`${root}preview/`)
    expect(preview.text.length).toBeLessThan(0.1 * MB)
    expect(preview.text).not.toContain('name="_structure"')
    const editor = await browser.get(`${root}json/`)
    const json = unescapeHtml(/<textarea[^>]*>\n([\s\S]*)<\/textarea>/.exec(editor.text)![1]!)
    expect(JSON.parse(json).form).toHaveLength(100)
    expect(editor.text.length).toBeLessThan(json.length + 0.1 * MB)
  })

  test('shows the cards of another page with their numbers, and keeps this page after each change', async () => {
    const { browser, root } = opened
    const shown = await browser.get(`${root}?page=50`)
    expect(cardsIn(shown)).toEqual(times(49, (index) => `q49_${index}`))
    expect(numbersIn(shown)).toEqual(times(49, (index) => 49 * 49 + index + 1))
    expect(shown.text).toContain(`<form method="post" action="${root}?page=50" class="card-actions">`)
    const from50 = `${root}?page=50`
    const press = async (fields: Record<string, string>) => (await browser.post(from50, fields)).to
    expect(await press({ do: 'down', question: 'q49_3' })).toBe(`${root}?page=50#question-q49_3`)
    expect(await press({ do: 'undo' })).toBe(from50)
    expect(await press({ do: 'move', question: 'q49_3', 'to-page': '7' })).toBe(`${root}?page=7#question-q49_3`)
    expect(await press({ do: 'delete', question: 'q49_4' })).toBe(from50)
    const added = await press({ do: 'add', kind: 'text-response', page: '49' })
    expect(added).toContain(`${root}question/?id=`)
    expect((await browser.get(added!)).text).toContain(`href="${root}?page=50#question-`)
    const moved = await browser.get(`${root}?page=7`)
    expect(cardsIn(moved).at(-1)).toBe('q49_3')
    expect(await press({ do: 'add-page' })).toBe(`${root}?page=101#page-101`)
    const rejected = await browser.post(from50, { do: 'move', question: 'q49_5', 'to-page': '1000' })
    expect(rejected.status).toBe(409)
    expect(cardsIn(rejected)).toContain('q49_5')
  })
})

describe('the builder of a survey with many questions on one page, or with many pages', () => {
  test('shows a hundred cards, with links to those before and after', async () => {
    const { browser, root, page } = await openBuilder(world, large(1, 350))
    expect(cardsIn(page)).toEqual(times(100, (index) => `q0_${index}`))
    expect(linksIn(page)).toEqual([`${root}?page=1&from=100`])
    const second = await browser.get(`${root}?page=1&from=100`)
    expect(numbersIn(second)).toEqual(times(100, (index) => index + 101))
    expect(second.text).toContain('<ol class="questions" data-page="0" data-from="100">')
    expect(linksIn(second)).toEqual([`${root}?page=1`, `${root}?page=1&from=200`])
    const { to } = await browser.post(`${root}?page=1&from=100`, { do: 'down', question: 'q0_199' })
    expect(to).toBe(`${root}?page=1&from=200#question-q0_199`)
    expect(cardsIn(await browser.get(`${root}?page=1&from=300`))).toHaveLength(50)
    for (const query of ['page=9', 'page=x', 'from=-5', 'from=1.5', 'page=1&from=99999'])
      expect((await browser.get(`${root}?${query}`)).status).toBe(200)
  })

  test('lists 4,900 pages in less than 2 MB', async () => {
    const { page } = await openBuilder(world, large(4900, 1))
    expect(page.text.length).toBeLessThan(2 * MB)
    expect(linksIn(page)).toHaveLength(4899)
  })

  test('shows at most twenty rules of a condition', async () => {
    const rules = times(3000, () => ({ question: 'q0_0', op: 'eq', value: 'Tea' }))
    const structure = large(2, 1)
    const form = [structure.form[0]!, { children: [{ ...question('last'), condition: { any: rules } }] }]
    const { page } = await openBuilder(world, { ...structure, form })
    expect(page.text.match(/ is Tea/g)).toHaveLength(20)
    expect(page.text).toContain('or 2,980 more rules')
  })
})
