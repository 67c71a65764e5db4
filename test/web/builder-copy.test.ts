import { describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'
import { openBuilder } from './builder-owner.ts'

describe('copying to another survey in the builder', () => {
  const world = useWorld()

  test('offers own other surveys, and says what was left out', async () => {
    const { person, browser, root, id } = await openBuilder(world)
    expect((await browser.get(`${root}copy/?question=milk`)).text).toContain('no other survey that you may edit')
    const target = await makeSurvey(person, { title: 'Other <drinks>' })
    const page = await browser.get(`${root}copy/?question=milk`)
    expect(page.text).toContain('Copies “Milk?” into the draft of another survey.')
    expect(page.text).toContain(`<option value="${target}">`)
    expect(page.text).not.toContain(`<option value="${id}">`)
    const { status, text } = await browser.post(`${root}copy/?question=milk`, { to: String(target), page: '' })
    expect(status).toBe(200)
    expect(text).toContain('Not copied with “Milk?”: “Show if”, because it needs another question.')
    const { structure } = (await person.get(`/api/v3/surveys/${target}/draft/`)).body
    expect(structure.form[0].children[0].title).toEqual({ en: 'Milk?' })
    const whole = await browser.post(`${root}copy/?question=drink`, { to: String(target), page: '1' })
    expect(whole.to).toBe(`/account/surveys/${target}/edit/#page-1`)
    expect((await browser.get(root)).text).toContain(`${root}copy/?page=2`)
  })

  test('is refused for a survey of somebody else, and shows a wrong page again', async () => {
    const { browser, root, person } = await openBuilder(world)
    const stranger = await openBuilder(world)
    const target = await makeSurvey(person, {
      title: 'Mine',
      form: [{ children: [{ idname: 'text-response', id: 'x', title: 'X' }] }],
    })
    expect((await stranger.browser.get(`${root}copy/?page=1`)).status).toBe(404)
    expect((await browser.post(`${root}copy/?page=1`, { to: String(stranger.id) })).status).toBe(404)
    expect((await browser.get(`${root}copy/?question=nothing`)).status).toBe(404)
    const wrong = await browser.post(`${root}copy/?question=drink`, { to: String(target), page: '7' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('value="7"')
  })
})
