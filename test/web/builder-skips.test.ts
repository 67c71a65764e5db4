import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { useWorld } from '../support/world.ts'
import { openBuilder } from './builder-owner.ts'

const world = useWorld()

describe('the skips of the builder', () => {
  test('are added with a target, get rules, and are removed', async () => {
    const { browser, root, draft } = await openBuilder(world)
    const path = `${root}skips/?page=0`
    const added = await browser.post(path, { do: 'add', to: '3' })
    expect(added.to).toBe(`${root}condition/?page=0&skip=0`)
    expect((await draft()).form[0].skip).toEqual([{ to: 3 }])
    await browser.post(added.to!, { do: 'add', to: '3', add: 'drink' })
    const rule = { match: 'all', 'rule.0.was': '0', 'rule.0.op': 'eq', 'rule.0.value': '1' }
    const saved = await browser.post(added.to!, { ...rule, do: 'save', to: 'terminate' })
    expect(saved.to).toBe(path)
    expect((await draft()).form[0].skip).toEqual([
      { to: 'terminate', when: { all: [{ question: 'drink', op: 'eq', value: 1 }] } },
    ])
    const text = 'to the end if “Which drink?” is Coffee: the respondent is screened out'
    for (const page of [path, root]) expect(unescapeHtml((await browser.get(page)).text)).toContain(text)
    await browser.post(path, { do: 'remove', skip: '0' })
    expect((await draft()).form[0]).not.toHaveProperty('skip')
  })

  test('can lead only to later pages, and are not overwritten if someone else has changed them', async () => {
    const { browser, root, draft } = await openBuilder(world)
    const path = `${root}skips/?page=1`
    const before = await draft()
    const back = await browser.post(path, { do: 'add', to: '1' })
    expect(back.status).toBe(422)
    expect(back.text).toContain('has a skip that would lead to the same page or an earlier one.')
    const stale = await browser.post(path, { do: 'remove', skip: '0', seen: 'another' })
    expect(stale.status).toBe(422)
    expect((await browser.get(`${root}skips/?page=9`)).status).toBe(409)
    expect((await browser.get(`${root}condition/?page=1&skip=4`)).status).toBe(409)
    expect(await draft()).toEqual(before)
  })
})
