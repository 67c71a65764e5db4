import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { useWorld } from '../support/world.ts'
import { openBuilder } from './builder-owner.ts'
import { breakfastSurvey } from './sample-surveys.ts'

const world = useWorld()

/** Returns the fields of the translation form: the texts, and hidden copies that detect concurrent changes. */
function fieldsIn({ text }: { text: string }): Record<string, string> {
  const seen = [...text.matchAll(/name="(seen\.[^"]+)" value="([^"]*)"/g)]
  const texts = [...text.matchAll(/name="(text\.[^"]+)"[^>]*>([^<]*)<\/textarea>/g)]
  return Object.fromEntries([...seen, ...texts].map(([, name, value]) => [unescapeHtml(name!), unescapeHtml(value!)]))
}

describe('the languages of the builder', () => {
  test('says for which languages the buttons and messages are in English', async () => {
    const { browser, root } = await openBuilder(world)
    const before = (await browser.get(`${root}languages/`)).text
    expect(before).toContain('>Čeština (cs), buttons in English</option>')
    expect(before).toContain('>Deutsch (de)</option>')
    expect(before).not.toContain('Buttons and messages in English')
    await browser.post(`${root}languages/`, { do: 'add', language: 'de' })
    expect((await browser.get(`${root}languages/`)).text).not.toContain('Buttons and messages in English')
    await browser.post(`${root}languages/`, { do: 'add', language: 'cs' })
    expect((await browser.get(`${root}languages/`)).text.match(/Buttons and messages in English/g)).toHaveLength(1)
  })

  test('are added, translated side by side, made the default and removed', async () => {
    const { browser, root, draft, publishAnyway, published } = await openBuilder(world)
    const added = await browser.post(`${root}languages/`, { do: 'add', language: 'fr', code: '', name: '' })
    expect(added.to).toBe(`${root}languages/translate/?to=fr`)
    const page = await browser.get(added.to!)
    expect(page.text).toContain('8 of 8 texts are not translated. Respondents see these texts in English.')
    const fields = fieldsIn(page)
    await browser.post(added.to!, {
      ...fields,
      'text.survey:title': 'Boissons',
      'text.question:drink:title': 'Quelle boisson ?',
      'text.question:drink:choice:0': 'Thé',
      'text.question:map:title': 'Où ?',
    })
    const { form, title, languages } = await draft()
    expect(title).toEqual({ en: 'Drinks', fr: 'Boissons' })
    expect(form[0].children[0].children[0].choices[0]).toEqual({
      label: { en: 'Tea', fr: 'Thé' },
      colour: 'green',
      uid: 0,
    })
    expect(form[2].children[0].title).toEqual({ en: 'Where?', fr: 'Où ?' })
    expect(languages).toEqual([
      { code: 'en', name: 'English', isDefault: true },
      { code: 'fr', name: 'Français', isDefault: false },
    ])
    expect((await browser.get(`${root}languages/`)).text).toContain('4 of 8 texts translated')
    await publishAnyway()
    expect((await published()).title.fr).toBe('Boissons')
    await browser.post(`${root}languages/`, { do: 'default', code: 'fr' })
    await browser.post(`${root}languages/`, { do: 'remove', code: 'en' })
    expect((await draft()).languages).toEqual([{ code: 'fr', name: 'Français', isDefault: true }])
    expect((await draft()).title.en).toBe('Drinks')
  })

  test('keep all texts if the translation form is submitted unchanged', async () => {
    const { browser, root, draft } = await openBuilder(world, breakfastSurvey)
    const before = await draft()
    const path = `${root}languages/translate/?to=fr`
    const fields = fieldsIn(await browser.get(path))
    expect(Object.keys(fields).length).toBeGreaterThan(40)
    expect((await browser.post(path, fields)).status).toBe(303)
    expect(await draft()).toEqual(before)
  })

  test('are not overwritten if someone else has translated the same text', async () => {
    const { browser, root, draft } = await openBuilder(world, breakfastSurvey)
    const path = `${root}languages/translate/?to=fr`
    const fields = fieldsIn(await browser.get(path))
    await browser.post(path, { ...fields, 'text.survey:title': 'Pain' })
    const reply = await browser.post(path, { ...fields, 'text.survey:title': 'Du pain' })
    expect(reply.status).toBe(422)
    expect(fieldsIn(reply)['text.survey:title']).toBe('Du pain')
    expect((await draft()).title.fr).toBe('Pain')
  })

  test('are read from numbered lines that were translated elsewhere, in any order and with missing ones', async () => {
    const { browser, root, draft } = await openBuilder(world)
    await browser.post(`${root}languages/`, { do: 'add', language: 'fr' })
    const path = `${root}languages/translate/?to=fr`
    const page = await browser.get(path)
    expect(page.text).toMatch(/\[1\] Drinks\n\[2\] Which drink\?\n\[3\] Tea/)
    const fields = fieldsIn(page)
    for (const all of ['Boissons\nQuelle boisson ?', '[1] Boissons\n[99] Rien']) {
      const rejected = await browser.post(path, { ...fields, all })
      expect(rejected.status).toBe(422)
      expect(rejected.text).toContain(all)
    }
    const all = 'Voici :\n[2] Quelle boisson ?\nDites-le.\n［1］ Boissons\n[3]\n'
    const { to } = await browser.post(path, { ...fields, all, 'text.survey:title': 'À boire' })
    expect(to).toBe(path)
    const { title, form } = await draft()
    expect(title.fr).toBe('À boire')
    expect(form[0].children[0].title.fr).toBe('Quelle boisson ?\nDites-le.')
    expect(form[0].children[0].children[0].choices[0].label.fr).toBeUndefined()
    expect((await browser.get(path)).text).toMatch(/id="all-texts"[^>]*>\n?\[3\] Tea/)
  })

  test('are rejected if their code is invalid or duplicate', async () => {
    const { browser, root, draft } = await openBuilder(world)
    const before = await draft()
    for (const code of ['not a code', 'en'])
      expect((await browser.post(`${root}languages/`, { do: 'add', language: '', code, name: 'X' })).status).toBe(422)
    expect((await browser.get(`${root}languages/translate/?to=xx`)).status).toBe(409)
    expect(await draft()).toEqual(before)
  })

  test('label the choices and rows of a new question', async () => {
    const { press, draft } = await openBuilder(world, {
      title: { de: 'Titel' },
      languages: [{ code: 'de', isDefault: true }],
      form: [{ children: [] }],
    })
    await press('add', { kind: 'single-choice-grid', page: '0' })
    expect((await draft()).form[0].children[0]).toMatchObject({
      choices: [{ label: { de: 'Möglichkeit 1' } }, { label: { de: 'Möglichkeit 2' } }],
      children: [{ label: { de: 'Zeile 1' } }],
    })
  })
})
