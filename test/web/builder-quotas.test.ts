import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { useWorld } from '../support/world.ts'
import { fieldsIn, openBuilder } from './builder-owner.ts'

const world = useWorld()

describe('the quotas of a survey', () => {
  test('are added for all responses, or for each choice of a question; existing quotas keep rules and messages', async () => {
    const { browser, root, draft } = await openBuilder(world)
    const add = (fields: Record<string, string>) => browser.post(`${root}quotas/`, { do: 'add', ...fields })
    const { to } = await add({ name: 'Total', limit: '100', action: 'close' })
    expect(to).toBe(`${root}condition/?quota=0`)
    await browser.post(to!, { ...common, name: 'All', message: 'Enough', do: 'add', add: 'milk' })
    expect((await add({ of: 'drink', limit: '20', action: 'terminate' })).to).toBe(`${root}quotas/`)
    expect((await draft()).quotas).toEqual([
      {
        name: 'All',
        limit: 90,
        action: 'complete',
        message: { en: 'Enough' },
        when: { all: [{ question: 'milk', op: 'eq', value: true }] },
      },
      ...['Tea', 'Coffee', 'Water'].map((name, value) => ({
        name,
        limit: 20,
        action: 'terminate',
        when: { all: [{ question: 'drink', op: 'eq', value }] },
      })),
    ])
    const page = unescapeHtml((await browser.get(`${root}quotas/`)).text)
    expect(page).toContain(
      'Counts up to 90 complete responses if “Milk?” is Yes. When the quota is full: accept further responses and show the quota message.',
    )
    expect(page).toContain('Responses so far: 0 of 90')
    expect((await browser.get(root)).text).toContain('4 quotas')
    await browser.post(`${root}quotas/`, { do: 'remove', quota: '0' })
    expect((await draft()).quotas.map(({ name }: { name: string }) => name)).toEqual(['Tea', 'Coffee', 'Water'])
  })

  test('screen further respondents out unless the author chooses something else', async () => {
    const { browser, root } = await openBuilder(world)
    expect((await browser.get(`${root}quotas/`)).text).toContain('<option value="terminate" selected>')
  })

  test('are rejected with the reason, and keep what was entered', async () => {
    const { browser, root } = await openBuilder(world)
    const reply = await browser.post(`${root}quotas/`, { do: 'add', name: 'Total', limit: 'many', action: 'close' })
    expect(reply.status).toBe(422)
    expect(unescapeHtml(reply.text)).toContain('Quota “Total”: limit must be a whole number of at least 1.')
    expect(reply.text).toContain('value="many"')
  })
})

const common = { limit: '90', action: 'complete', match: 'all' }

describe('the form of a question', () => {
  test('inserts a placeholder for an earlier answer, and the card shows the title of that question instead', async () => {
    const { browser, root, draft } = await openBuilder(world)
    const path = `${root}question/?id=milk`
    const page = await browser.get(path)
    expect(page.text).toContain('Answer to “Why?”')
    expect((await browser.get(`${root}question/?id=why`)).text).not.toContain('Answer to “Which drink?”')
    await browser.post(path, { ...fieldsIn(page), title: 'Milk in your', placeholder: 'drink', do: 'insert.title' })
    expect((await draft()).form[1].children[0].title.en).toBe('Milk in your {{ drink }}')
    expect((await browser.get(root)).text).toContain('Milk in your ‹Which drink?›')
  })

  test('restores the default labels of yes and no if they are blanked', async () => {
    const { browser, root, draft } = await openBuilder(world)
    const path = `${root}question/?id=milk`
    const save = async (fields: Record<string, string>) =>
      browser.post(path, { ...fieldsIn(await browser.get(path)), ...fields })
    await save({ yes: 'Please', no: 'Never' })
    await save({ yes: '', no: '' })
    const [{ choices }] = (await draft()).form[1].children[0].children
    expect(choices.map(({ label }: { label: object }) => label)).toEqual([{ en: 'Yes' }, { en: 'No' }])
  })
})
