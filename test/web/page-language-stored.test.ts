import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { signInAsNewUser } from '../support/http-browser.ts'
import { useWorld } from '../support/world.ts'
import { DRINKS, openBuilder } from './builder-owner.ts'

const world = useWorld()
const GERMAN = { language: 'de', time_zone: '' }
const ENGLISH = { language: 'en', time_zone: '' }

/** Opens the builder in German. */
async function openInGerman(structure: object = DRINKS) {
  const builder = await openBuilder(world, structure)
  await builder.browser.post('/account/locale/', GERMAN)
  const read = async (path: string) => unescapeHtml((await builder.browser.get(path)).text)
  return { ...builder, read }
}

describe('the names of changes in the builder', () => {
  test('are in the language of the reader, whatever the language of the author was', async () => {
    const { browser, root, press, read } = await openInGerman()
    const deleted = unescapeHtml((await press('delete', { question: 'why' })).text)
    expect(deleted).toContain('„Why?“ gelöscht. Wählen Sie „Rückgängig“, um dies wiederherzustellen.')
    await browser.post('/account/locale/', ENGLISH)
    expect(await read(root)).toContain('Undo<span class="hidden">: “Why?” deleted</span>')
    expect(unescapeHtml((await press('undo')).text)).toContain('Change undone: “Why?” deleted.')
    await browser.post('/account/locale/', GERMAN)
    expect(await read(root)).toContain('Wiederholen<span class="hidden">: „Why?“ gelöscht</span>')
    await browser.post(`${root}skips/?page=0`, { do: 'add', to: '3' })
    await browser.post(`${root}condition/?page=0&skip=0`, { do: 'add', add: 'drink', to: '3' })
    expect(await read(root)).toContain(': Bedingung bearbeitet: Sprung von Seite 1</span>')
    await press('down', { question: 'drink' })
    expect(await read(root)).toContain('„Which drink?“ nach unten verschoben, auf Position 2 von Seite 1</span>')
  })

  test('are shown unchanged if an earlier version of Canvass stored them', async () => {
    const { root, id, press, read } = await openInGerman()
    await press('delete', { question: 'why' })
    const label = 'Frage „{text}“ gelöscht'
    await world.application.services.pool.query('update survey_draft_step set label = $2 where survey_id = $1', [
      id,
      label,
    ])
    expect(await read(root)).toContain(`Rückgängig<span class="hidden">: ${label}</span>`)
  })

  test('are translated for a change through the API', async () => {
    const { person, root, id, read } = await openInGerman()
    await person.put(`/api/v3/surveys/${id}/draft/`, { json: { ...DRINKS, title: 'Getränke' } })
    expect(await read(root)).toContain(': Struktur bearbeitet</span>')
  })
})

describe('rules on pages in German', () => {
  test('are clauses with the verb at the end', async () => {
    const { browser, root, read } = await openInGerman()
    const builder = await read(root)
    expect(builder).toContain('Wird angezeigt, wenn die Antwort auf „Which drink?“ „Coffee“ ist')
    expect(builder).toContain('Nach dieser Seite: weiter mit Seite 3, wenn die Antwort auf „Which drink?“ „Water“ ist')
    await browser.post(`${root}quotas/`, { do: 'add', of: 'drink', limit: '90', action: 'terminate' })
    expect(await read(`${root}quotas/`)).toContain(
      'Zählt bis zu 90 vollständige Antworten, wenn die Antwort auf „Which drink?“ „Tea“ ist. ' +
        'Wenn die Quote voll ist: weitere Befragte ausschließen.',
    )
  })

  test('name the question once in a form, beside the comparison', async () => {
    const { root, read } = await openInGerman()
    const form = await read(`${root}condition/?id=milk`)
    expect(form).toMatch(/<span class="rule-text">„Which drink\?“<\/span>/)
    expect(form).toContain('<option value="answered">ist beantwortet</option>')
  })
})

describe('errors of imports on pages in German', () => {
  test('name the rows and columns of a CSV file', async () => {
    const { browser } = await signInAsNewUser(world)
    await browser.post('/account/locale/', GERMAN)
    const send = async (csv: string) => {
      const first = (await browser.upload('/account/contacts/import/', csv)).text
      const table = /name="table" value="([^"]*)"/.exec(first)?.[1]
      if (!table) return unescapeHtml(first)
      const uses = [...first.matchAll(/value="(\w+)" selected/g)].map(([, use], index) => [`column.${index}`, use!])
      const fields = { table, ...Object.fromEntries(uses) }
      return unescapeHtml((await browser.multipart('/account/contacts/import/', fields)).text)
    }
    expect(await send('name,email\nAnn,none\n')).toContain(
      '<strong>Zeile 2: email</strong> muss eine E-Mail-Adresse sein',
    )
    expect(await send('name,email,id\n')).toContain(
      '<strong>Spalte 3</strong>: „id“ ist ein Standardfeld von Kontakten',
    )
    expect(await send('name,email\nAnn\n')).toContain(
      '<strong>Zeile 2</strong> hat eine andere Anzahl Zellen (1) als die Kopfzeile (2)',
    )
    expect(await send('name,email\n"Ann\n')).toContain('enthält eine Zelle ohne schließendes Anführungszeichen')
    expect(await send('name,x,x\n')).toContain('<strong>E-Mail</strong> hat keine Spalte')
    expect(await send(' ')).toContain('<strong>Die Datei</strong> ist leer')
  })

  test('name the line of a structure and what is wrong there', async () => {
    const { browser, root } = await openInGerman()
    const save = async (structure: string) =>
      unescapeHtml((await browser.post(`${root}json/`, { as: 'draft', version: '1', structure })).text)
    expect(await save('{"title": "T",\n "form": {}}')).toMatch(
      /Zeile 2<\/strong> <code>\/form<\/code> muss eine Liste \(Array\) sein/,
    )
    expect(await save('{"title": "T"\n "form": []}')).toMatch(/Zeile 2<\/strong>\s*Davor fehlt ein Komma\./)
    const { text } = await browser.post(`${root}json/check/`, { structure: '{"title": "T", "fomr": []}' })
    expect(text).toContain('„fomr“ hat keine Wirkung. Meinten Sie „form“?')
    const pasted = await browser.post('/account/surveys/new/', { structure: '{"title":\n' })
    expect(unescapeHtml(pasted.text)).toContain('Struktur ist kein gültiges JSON: siehe Zeile ')
  })
})

describe('a template of the gallery on pages in German', () => {
  test('has a German name, and creates a survey in German', async () => {
    const { browser, person } = await signInAsNewUser(world)
    await browser.post('/account/locale/', GERMAN)
    const gallery = unescapeHtml((await browser.get('/account/surveys/new/')).text)
    expect(gallery).toMatch(/Kundenzufriedenheit<\/a><\/h\d><p>Für Kunden nach einem Kauf/)
    const create = async (template: string) => {
      const { to } = await browser.post('/account/surveys/new/', { gallery_template: template, name: '' })
      const id = /surveys\/(\d+)\//.exec(to!)![1]
      const { name } = (await person.get(`/api/v3/surveys/${id}/`)).body
      const { languages } = (await person.get(`/api/v3/surveys/${id}/structure/`)).body
      return { name, language: languages.find((one: { isDefault: boolean }) => one.isDefault).code }
    }
    expect(await create('customer-satisfaction')).toEqual({ name: 'Wie zufrieden sind Sie?', language: 'de' })
    expect(await create('support-feedback')).toMatchObject({ language: 'de' })
  })
})

describe('an account that chose German', () => {
  test('gets emails in German', async () => {
    const { browser, person } = await signInAsNewUser(world)
    await browser.post('/account/locale/', GERMAN)
    await browser.post('/accounts/password/', { username: person.actor.username })
    await world.runJobs()
    const { rows } = await world.application.services.pool.query<{ data: { subject: string; text: string } }>(
      "select data from pgboss.job where name = 'send-system-email' and data->>'account' = $1",
      [String(person.actor.id)],
    )
    expect(rows.map(({ data }) => data.subject)).toEqual(['Passwort zurücksetzen'])
    expect(rows[0]!.data.text).toContain(`das Passwort des Kontos ${person.actor.username} zurückzusetzen`)
    expect(rows[0]!.data.text).toContain('/accounts/password/new/?key=')
  })

  test('gets error pages in German', async () => {
    const { browser } = await signInAsNewUser(world)
    await browser.post('/account/locale/', GERMAN)
    const { pool } = world.application.services
    await pool.query('alter table contact_list rename to contact_list_away')
    const page = await browser.get('/account/contacts/lists/')
    await pool.query('alter table contact_list_away rename to contact_list')
    expect(page.status).toBe(500)
    expect(page.text).toContain('<html lang="de" dir="ltr">')
    expect(page.text).toContain('Leider gibt es ein Problem mit dem Dienst')
  })
})
