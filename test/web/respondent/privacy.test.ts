import { beforeAll, describe, expect, test } from '@jest/globals'
import { ERASED_IDENTITY } from '../../../src/domain/survey/anonymity.ts'
import { languages, privacyTexts } from '../../../src/domain/text/catalog.ts'
import { addSurvey, pageOf, storedResponses, submitForm, text } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const structure = { title: 'Tea', form: [pageOf(text('first'))] }
const en = privacyTexts.en!
const settingsOf = (id: number) => `/api/v3/surveys/${id}/settings/`
/** Returns the items of the lists of a page by their heading. */
const listsIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<h3>([^<]*)<\/h3>\s*<ul>(.*?)<\/ul>/gs)].map(([, heading, list]) => [
      heading!,
      [...list!.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item]) => item!.replace(/<[^>]*>/g, '')),
    ]),
  )
const linkIn = (page: string) =>
  /<footer class="footer">.*<a href="([^"]*)"[^>]*>What this survey stores<\/a>/s.exec(page)?.[1]

describe('the page about the data of an anonymous survey', () => {
  test('is linked from the footer, and says what responses contain and do not contain, as they are stored', async () => {
    const { survey, path } = await addSurvey(ann, structure)
    expect(linkIn((await world.anonymous.get(path)).text)).toBeUndefined()
    await ann.put(settingsOf(survey.id), { json: { anonymous: true, redirect_url: 'https://example.org/{{first}}' } })
    const first = await world.anonymous.get(`${path}?x=1`)
    const link = linkIn(first.text)!
    expect(link).toBe(`${path}privacy/`)
    await submitForm(world.anonymous, first, { first: 'a' })
    const [stored] = await storedResponses(world, survey.id)
    expect(stored).toMatchObject({ ...ERASED_IDENTITY, completion_time: null })
    expect(new Date(stored!.created_at).getUTCMinutes()).toBe(0)

    const page = await world.anonymous.get(link)
    expect(page.status).toBe(200)
    const lists = listsIn(page.text)
    expect(lists[en.storedTitle]).toEqual([
      en.number,
      en.answers,
      en.progress,
      en.hours,
      en.language,
      en.link.replace('{n}', '1'),
      en.redirect.replace('{host}', 'example.org'),
    ])
    expect(lists[en.hiddenTitle]).toEqual([
      en.duration,
      en.source,
      en.network,
      en.invitation,
      en.minute,
      en.noOtherSites,
    ])
    expect(lists[en.visibleTitle]).toEqual([en.arrival, en.used, en.written, en.operator])
    expect(page.text).not.toContain('<script>')
  })

  test('lists what its owner has changed since it opened, in pages and by the API', async () => {
    world.now = new Date('2026-04-01T09:10:11Z')
    const { survey, path } = await addSurvey(ann, structure, {}, { live: false })
    const api = `/api/v3/surveys/${survey.id}/`
    const save = (...questions: object[]) =>
      ann.put(`${api}structure/`, { json: { structure: { title: 'Tea', form: [pageOf(...questions)] } } })
    await save(text('first'), text('before'))
    await ann.put(settingsOf(survey.id), { json: { anonymous: true } })
    expect((await ann.put(settingsOf(survey.id), { json: { live: 1 } })).status).toBe(200)
    const changes = async () => listsIn((await world.anonymous.get(`${path}privacy/`)).text)[en.changesTitle]
    expect(await changes()).toEqual([`April 1, 2026: ${en.opened}`])
    world.now = new Date('2026-04-03T09:10:11Z')
    await save({ ...text('first'), title: 'Changed' }, text('new'), text('other'))
    await ann.put(settingsOf(survey.id), { json: { invite_only: true } })
    await ann.put(`/api/v3/surveys/${survey.id}/`, { form: { live: 0 } })
    expect(await changes()).toEqual([
      `April 3, 2026: ${en.closed}`,
      `April 3, 2026: ${en.settings}`,
      `April 3, 2026: Questions changed (version 3) (new: 2, removed: 1, edited: 1)`,
      `April 1, 2026: ${en.opened}`,
    ])
  })

  test('is shown in the language of the survey, with a link to each of its languages', async () => {
    const { path } = await addSurvey(
      ann,
      {
        ...structure,
        languages: [
          { code: 'de', name: 'Deutsch', isDefault: true },
          { code: 'fr', name: 'Français' },
          { code: 'sw', name: 'Kiswahili' },
        ],
      },
      { anonymous: true },
    )
    const german = (await world.anonymous.get(`${path}privacy/`)).text
    expect(german).toContain('Was diese Umfrage speichert')
    expect(german).toContain(`href="${path}privacy/?lang=fr"`)
    const french = (await world.anonymous.get(`${path}privacy/?lang=fr`)).text
    expect(french).toContain('Ce que ce questionnaire enregistre')
    // There are no texts of the service in Swahili.
    expect((await world.anonymous.get(`${path}privacy/?lang=sw`)).text).toContain(
      '<section class="message privacy" lang="en" dir="ltr">',
    )
  })

  test('exists in every language of survey pages, with the same placeholders', () => {
    expect(Object.keys(privacyTexts).sort()).toEqual(Object.keys(languages).sort())
    const placeholders = (one: string) => [...new Set(one.match(/\{\w+\}/g))].sort()
    for (const [code, texts] of Object.entries(privacyTexts))
      for (const [name, template] of Object.entries(texts)) {
        expect({ code, name, found: placeholders(template) }).toEqual({
          code,
          name,
          found: placeholders(en[name as keyof typeof en]),
        })
        if (code !== 'en')
          expect({ code, name, template }).not.toEqual({ code, name, template: en[name as keyof typeof en] })
      }
  })
})

describe('the page about the data of a survey that is not anonymous', () => {
  test('says that identity is stored, but not the network address if its storage is off', async () => {
    const { survey, path } = await addSurvey(ann, structure)
    const before = listsIn((await world.anonymous.get(`${path}privacy/`)).text)
    expect(before[en.storedTitle]).toEqual(
      expect.arrayContaining([en.times, en.duration, en.source, en.network, en.invitation]),
    )
    expect(before[en.hiddenTitle]).toBeUndefined()
    expect(before[en.visibleTitle]).toBeUndefined()
    await ann.put(settingsOf(survey.id), { json: { store_ip: false } })
    const after = listsIn((await world.anonymous.get(`${path}privacy/`)).text)
    expect(after[en.hiddenTitle]).toEqual([en.network])
    expect(after[en.storedTitle]).not.toContain(en.network)
  })

  test('returns 404 for a survey that was never open', async () => {
    const { path } = await addSurvey(ann, structure, {}, { unpublished: true, live: false })
    expect((await world.anonymous.get(`${path}privacy/`)).status).toBe(404)
    expect((await world.anonymous.get('/surveys/nobody/nothing/privacy/')).status).toBe(404)
  })
})
