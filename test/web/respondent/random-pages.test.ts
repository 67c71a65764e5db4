import { describe, expect, it } from '@jest/globals'
import type { Reply } from '../../support/client.ts'
import { addSurvey, hiddenValue, pageOf, single, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

const inBlock = (page: object) => ({ ...page, randomBlock: 'concepts' })
const form = [
  pageOf(single('kind', ['Tea', 'Coffee'])),
  inBlock(pageOf(text('first'))),
  inBlock(pageOf(text('second'))),
  inBlock(pageOf(text('third'))),
  pageOf(text('end')),
]

/** Submits a page and follows the redirect to the next one. */
async function send(page: Reply, answers: Record<string, string>): Promise<Reply> {
  const reply = await submitForm(world.anonymous, page, answers)
  return reply.status === 303
    ? (world.anonymous.get(reply.headers.get('location')!) as Promise<Reply>)
    : (reply as Reply)
}

const open = async (path: string): Promise<Reply> => (await world.anonymous.get(path)) as Reply
const numberOf = (page: Reply) => Number(hiddenValue(page, '_page'))
const labelOf = (page: Reply) => /Page \d+ of \d+/.exec(page.text)?.[0]

/** Answers a survey until its end. @returns the numbers of the pages seen */
async function answerAll(path: string, answers: Record<string, string> = {}): Promise<number[]> {
  const seen: number[] = []
  for (let page = await open(path); numberOf(page) > 0; page = await send(page, answers)) {
    seen.push(numberOf(page))
    expect(labelOf(page)).toBe(`Page ${seen.length} of 5`)
  }
  return seen
}

describe('pages in random order [spec 6.2]', () => {
  it('come in an order of each respondent, between the fixed pages, and _pagepath has the order seen', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, { title: 'Concepts', form })
    const orders: string[] = []
    for (let respondent = 0; respondent < 24; respondent++) orders.push((await answerAll(path)).join())
    for (const order of orders) {
      expect([order.at(0), order.at(-1)]).toEqual(['1', '5'])
      expect(order.split(',').toSorted()).toEqual(['1', '2', '3', '4', '5'])
    }
    // 24 respondents see one of six orders with a probability of less than 10^-18.
    expect(new Set(orders).size).toBeGreaterThan(1)
    expect((await storedResponses(world, survey.id)).map(({ pagepath }) => pagepath)).toEqual(orders)
    const csv = await owner.get(`/api/v3/surveys/${survey.id}/csv/?for_statistics=1`)
    expect(csv.text).toContain('response_pagepath')
    expect(csv.text).toContain(`"${orders[0]}"`)
  })

  it('keeps its order when the respondent goes back, opens a page, or continues later', async () => {
    const owner = await world.person()
    const { survey, path } = await addSurvey(owner, { title: 'Concepts', form, jumping: true })
    const seen = [await send(await open(path), { kind: '0' })]
    for (let step = 1; step < 3; step++) seen.push(await send(seen.at(-1)!, {}))
    const numbers = seen.map(numberOf)
    const back = await send(seen[2]!, { _go: 'back' })
    expect([numberOf(back), labelOf(back)]).toEqual([numbers[1], 'Page 3 of 5'])
    const jumped = await send(back, { _go: String(numbers[0]) })
    expect(numberOf(jumped)).toBe(numbers[0])
    const forward = await send(jumped, { _go: String(numbers[2]) })
    expect(numberOf(forward)).toBe(numbers[2])
    const [stored] = await storedResponses(world, survey.id)
    const resumed = await open(`${path}${stored!.key.toString('hex')}/`)
    expect(numberOf(resumed)).toBe(numbers[2])
  })

  it('leaves out pages whose condition is false, and follows the skips of the last page of the block', async () => {
    const owner = await world.person()
    const is = (question: string, value: unknown) => ({ all: [{ question, op: 'eq', value }] })
    const conditional = form.with(2, { ...form[2]!, condition: is('kind', 1) } as never)
    const skipping = conditional.with(3, {
      ...form[3]!,
      skip: [{ when: is('first', 'stop'), to: 'terminate' }],
    } as never)
    const { survey, path } = await addSurvey(owner, { title: 'Concepts', form: skipping })
    for (let respondent = 0; respondent < 6; respondent++) {
      const seen: number[] = []
      for (let page = await open(path); numberOf(page) > 0; page = await send(page, { kind: '0', first: 'stop' }))
        seen.push(numberOf(page))
      expect(seen.toSorted()).toEqual([1, 2, 4])
    }
    expect((await storedResponses(world, survey.id)).every(({ completed }) => completed === 2)).toBe(true)
  })

  it('stops at a quota that a page of the block settles, and not before the page was seen', async () => {
    const owner = await world.person()
    const when = { question: 'third', op: 'eq', value: 'yes' }
    const quotas = [{ name: 'Yes', when, limit: 1, action: 'terminate', message: 'Enough' }]
    const { survey, path } = await addSurvey(owner, { title: 'Concepts', form, quotas })
    expect(await answerAll(path, { third: 'yes' })).toHaveLength(5)
    for (let respondent = 0; respondent < 4; respondent++) {
      const seen: number[] = []
      for (let page = await open(path); numberOf(page) > 0; page = await send(page, { third: 'yes' }))
        seen.push(numberOf(page))
      expect(seen.at(-1)).toBe(4)
    }
    const pagepaths = (await storedResponses(world, survey.id)).slice(1).map(({ pagepath }) => pagepath!)
    for (const pagepath of pagepaths) expect(pagepath.split(',').at(-1)).toBe('4')
  })
})
