import { describe, expect, test } from '@jest/globals'
import { Visitor } from '../support/http-browser.ts'
import { makeSurvey } from '../support/responses.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const STRUCTURE = {
  title: { en: 'Tea', fr: 'Thé' },
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français', isDefault: false },
  ],
  form: [
    { children: [{ idname: 'text-response', id: 'why', title: 'Why?', children: [{ required: true }] }] },
    {
      children: [
        {
          idname: 'text-response',
          id: 'more',
          title: 'More about {{ why }}?',
          condition: { all: [{ question: 'why', op: 'eq', value: 'taste' }] },
        },
        { idname: 'boolean-choice', id: 'milk', title: 'Milk?' },
      ],
    },
  ],
}
const structure = JSON.stringify(STRUCTURE)

async function previewing() {
  const person = await world.person()
  const id = await makeSurvey(person, { title: 'Stored title' })
  const browser = new Visitor(world.base)
  await browser.signIn(person.actor.username, person.password)
  const root = `/account/surveys/${id}/edit/preview/`
  return { person, id, browser, root, show: (fields: Record<string, string>) => browser.post(root, fields) }
}

const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#39;', "'")
/** What travels with the form of a preview. */
const carried = (page: { text: string }) =>
  Object.fromEntries(
    [...page.text.matchAll(/<input type="hidden" name="(_\w+)" value="([^"]*)"/g)]
      .filter(([, name]) => name !== '_shown')
      .map(([, name, value]) => [name!, unescaped(value!)]),
  )

describe('the preview', () => {
  test('shows the stored structure, then the typed one, and may only be framed by this site', async () => {
    const { browser, root, show: render } = await previewing()
    const stored = await browser.get(root)
    expect(stored.text).toContain('Stored title')
    expect(stored.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(stored.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    expect(stored.headers.get('content-security-policy')).not.toContain("frame-ancestors 'none'")
    const typed = await render({ structure })
    expect(typed.text).toContain('Why?')
    expect(typed.text).not.toContain('Stored title')
  })

  test('behaves like the survey with required answers, conditions, piping and the end, and stores nothing', async () => {
    const { show: render, person, id } = await previewing()
    const first = await render({ structure })
    const empty = await render({ ...carried(first), why: '', _go: 'next' })
    expect(empty.text).toContain('aria-invalid="true"')
    const second = await render({ ...carried(empty), why: 'taste', _go: 'next' })
    expect(second.text).toContain('More about taste?')
    const end = await render({ ...carried(second), more: 'x', milk: 'true', _go: 'next' })
    expect(end.text).toContain('Thank you')
    expect((await person.get(`/api/v3/surveys/${id}/responses/`)).body.count).toBe(0)
    const again = await render({ ...carried(end), _leaf: '1' })
    expect(again.text).toContain('value="taste"')
  })

  test('opens any page without answers, by number or cursor position, and in another language', async () => {
    const { show: render } = await previewing()
    const second = await render({ structure, _leaf: '2' })
    expect(second.text).toContain('Milk?')
    expect(second.text).toMatch(/value="2"[^>]*aria-current="page"/)
    expect((await render({ structure, _at: '1' })).text).toContain('Milk?')
    expect((await render({ structure, _at: '0' })).text).toContain('Why?')
    const french = await render({ ...carried(second), _language: 'fr' })
    expect(french.text).toContain('<html lang="fr"')
    expect(french.text).toContain('Milk?')
  })

  test('returns the visible questions to the script', async () => {
    const { show: render } = await previewing()
    const second = await render({ structure, _leaf: '2' })
    const shown = await render({ ...carried(second), _answers: '{"why":"taste"}', _go: 'look' })
    expect(JSON.parse(shown.text)).toEqual({ shown: ['more', 'milk'] })
  })

  test('shows the errors of an invalid structure with their lines', async () => {
    const { show: render } = await previewing()
    const page = await render({ structure: '{\n"title": 4}' })
    expect(page.status).toBe(422)
    expect(page.text).toContain('Line 2: must be')
  })

  test('explains an empty structure and ignores invalid state', async () => {
    const { show: render } = await previewing()
    expect((await render({ structure: '{"title":"Empty"}' })).text).toContain('No pages yet')
    for (const _answers of ['{', '[]', 'null', '{"why":{"a":1},"milk":[[]],"__proto__":{"x":1},"nothing":1}']) {
      const page = await render({
        structure,
        _answers,
        _page: '9',
        _leaf: 'x',
        _lang: 'xx',
        _key: 'zz',
        _pagepath: ',a,',
      })
      expect([_answers, page.status]).toEqual([_answers, 200])
    }
  })
})
