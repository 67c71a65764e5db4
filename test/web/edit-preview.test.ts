import { describe, expect, test } from '@jest/globals'
import { cascade, cascadeSurvey } from '../support/cascade.ts'
import { unescapeHtml } from '../support/html.ts'
import { signInAs } from '../support/http-browser.ts'
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

async function openPreview() {
  const person = await world.person()
  const id = await makeSurvey(person, { title: 'Stored title' })
  const browser = await signInAs(person)
  const root = `/account/surveys/${id}/edit/preview/`
  return { person, id, browser, root, render: (fields: Record<string, string>) => browser.post(root, fields) }
}

/** Returns the hidden fields with the state of a preview. */
const stateOf = (page: { text: string }) =>
  Object.fromEntries(
    [...page.text.matchAll(/<input type="hidden" name="(_\w+)" value="([^"]*)"/g)]
      .filter(([, name]) => name !== '_shown')
      .map(([, name, value]) => [name!, unescapeHtml(value!)]),
  )

describe('the preview', () => {
  test('shows the title of a question in place of its answer until its page is submitted', async () => {
    const form = [
      { children: [{ idname: 'text-response', id: 'drink', title: 'Which drink?' }] },
      { children: [{ idname: 'text-response', id: 'more', title: 'Why {{ drink }}, {{ invite.name }}?' }] },
    ]
    const { render } = await openPreview()
    const fields = { structure: JSON.stringify({ title: 'Tea', form }) }
    expect((await render({ ...fields, _leaf: '2' })).text).toContain('Why ‹Which drink?›, ‹name›?')
    const first = stateOf(await render(fields))
    expect((await render({ ...first, _page: '1', drink: 'tea' })).text).toContain('Why tea, ‹name›?')
    expect((await render({ ...first, _page: '1' })).text).toContain('Why , ‹name›?')
  })

  test('shows the stored structure or the submitted structure, and forbids framing by other sites', async () => {
    const { browser, root, render } = await openPreview()
    const initial = await browser.get(root)
    expect(initial.text).toContain('Stored title')
    expect(initial.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(initial.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    expect(initial.headers.get('content-security-policy')).not.toContain("frame-ancestors 'none'")
    const edited = await render({ structure })
    expect(edited.text).toContain('Why?')
    expect(edited.text).not.toContain('Stored title')
  })

  test('applies required answers, conditions and placeholders up to the final page, and stores nothing', async () => {
    const { render, person, id } = await openPreview()
    const first = await render({ structure })
    const empty = await render({ ...stateOf(first), why: '', _go: 'next' })
    expect(empty.text).toContain('aria-invalid="true"')
    const second = await render({ ...stateOf(empty), why: 'taste', _go: 'next' })
    expect(second.text).toContain('More about taste?')
    const end = await render({ ...stateOf(second), more: 'x', milk: 'true', _go: 'next' })
    expect(end.text).toContain('Thank you')
    expect((await person.get(`/api/v3/surveys/${id}/responses/`)).body.count).toBe(0)
    const restarted = await render({ ...stateOf(end), _leaf: '1' })
    expect(restarted.text).toContain('value="taste"')
  })

  test('opens any page without answers, by number or cursor position, and in another language', async () => {
    const { render } = await openPreview()
    const second = await render({ structure, _leaf: '2' })
    expect(second.text).toContain('Milk?')
    expect(second.text).toMatch(/value="2"[^>]*aria-current="page"/)
    expect((await render({ structure, _at: '1' })).text).toContain('Milk?')
    expect((await render({ structure, _at: '0' })).text).toContain('Why?')
    const french = await render({ ...stateOf(second), _language: 'fr' })
    expect(french.text).toContain('<html lang="fr"')
    expect(french.text).toContain('Milk?')
  })

  test('returns the visible questions as JSON for the script', async () => {
    const { render } = await openPreview()
    const second = await render({ structure, _leaf: '2' })
    const reply = await render({ ...stateOf(second), _answers: '{"why":"taste"}', _go: 'look' })
    expect(JSON.parse(reply.text)).toEqual({ shown: ['more', 'milk'] })
  })

  test('returns the choices that an answer filters, of an unsaved structure', async () => {
    const { render } = await openPreview()
    const { country, region } = cascade()
    const unsaved = JSON.stringify(cascadeSurvey([[country, region]]))
    const page = await render({ structure: unsaved })
    expect(page.text).toContain('Answer “Country” first.')
    const reply = await render({ ...stateOf(page), country: '1', _go: 'look' })
    expect(JSON.parse(reply.text)).toMatchObject({
      shown: ['country', 'region'],
      choices: [{ question: 'region', values: ['2', '3'] }],
    })
  })

  test('shows the errors of an invalid structure with their lines', async () => {
    const { render } = await openPreview()
    const page = await render({ structure: '{\n"title": 4}' })
    expect(page.status).toBe(422)
    expect(page.text).toContain('Line 2: must be')
  })

  test('explains an empty structure and ignores invalid state', async () => {
    const { render } = await openPreview()
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
