import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Tables } from '../../../src/domain/tables.ts'
import { unescapeHtml } from '../../support/html.ts'
import { png, uploadImage, withImage } from '../../support/images.ts'
import { addSurvey } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'
import { fieldsIn, openBuilder } from '../builder-owner.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const TRACKER = 'https://tracker.example/no.png'
const external = withImage(TRACKER)
/** A survey whose second page shows an external image only after a certain answer, in the short form of a question. */
const conditional = {
  title: 'Cups',
  form: [
    { children: [{ idname: 'boolean-choice', id: 'like', title: 'Like it?' }] },
    {
      children: [
        {
          idname: 'image-choice',
          id: 'why',
          title: 'Why not?',
          condition: { all: [{ question: 'like', op: 'eq', value: false }] },
          choices: [{ label: 'Cold' }, { label: '', image: { url: TRACKER, alt: 'An empty cup' } }],
        },
      ],
    },
  ],
}
const settingsOf = (id: number) => `/api/v3/surveys/${id}/settings/`
const policyOf = ({ headers }: { headers: Headers }) => headers.get('content-security-policy')!

describe('the pages of an anonymous survey', () => {
  test('load images, scripts, styles and fonts from this service only', async () => {
    const { survey, path } = await addSurvey(ann, external, { redirect_url: 'https://example.org/' })
    expect(policyOf(await world.anonymous.get(path))).toContain('https:')
    const { body } = await uploadImage(ann, survey.id, png(31))
    await ann.put(`/api/v3/surveys/${survey.id}/structure/`, { json: { structure: withImage(body.url) } })
    await ann.put(settingsOf(survey.id), { json: { anonymous: true } })
    const page = await world.anonymous.get(path)
    expect(policyOf(page).split(';')).toEqual(
      expect.arrayContaining(["default-src 'self'", "img-src 'self' data:", "form-action 'self' http: https:"]),
    )
    expect(page.text).toContain(`<img src="${body.url}"`)
    const addresses = [...page.text.matchAll(/(?:src|srcset|href|data)="([^"]*)"/g)].map(([, address]) => address!)
    expect(addresses.filter((address) => !/^(\/|#|data:)/.test(address))).toEqual([])
  })

  test('leave out the external images of an older survey, and show their descriptions if the choice has no label', async () => {
    const { survey, path } = await addSurvey(ann, {
      title: 'Cups',
      form: [{ children: [{ ...conditional.form[1]!.children[0], condition: undefined }] }],
    })
    const { id, settings } = survey
    await ann.act(({ em }) =>
      em
        .getKysely<Tables>()
        .updateTable('survey')
        .set({ settings: JSON.stringify({ ...settings, anonymous: true }) as never, revision: 9 })
        .where('id', '=', id)
        .execute(),
    )
    const page = await world.anonymous.get(path)
    expect(page.text).not.toContain('tracker.example')
    expect(page.text).toContain('<span>An empty cup</span>')
    expect(policyOf(page)).toContain("img-src 'self' data:")
  })
})

describe('the address of an uploaded image or logo', () => {
  test('does not show strangers whether a survey uses a picture that they hold', async () => {
    const { survey } = await addSurvey(ann, external)
    const picture = png(33)
    const guess = createHash('sha256').update(picture).digest('hex').slice(0, 32)
    const { body } = await uploadImage(ann, survey.id, picture)
    await ann.put(`/api/v3/surveys/${survey.id}/theme/`, { json: { logo: picture.toString('base64') } })
    const { logo } = (await ann.get(`/api/v3/surveys/${survey.id}/theme/`)).body
    for (const [address, guessed] of [
      [body.url, `/images/${guess}.png`],
      [new URL(logo.url).pathname, `/logos/${guess}.png`],
    ]) {
      expect((await world.anonymous.get(address)).status).toBe(200)
      expect((await world.anonymous.get(guessed)).status).toBe(404)
    }
    // The same picture is stored once.
    expect((await uploadImage(ann, survey.id, picture)).body.url).toBe(body.url)
  })
})

describe('an image on another website', () => {
  test('is refused when the structure of an anonymous survey is saved, with the place', async () => {
    const { survey } = await addSurvey(ann, { title: 'Cups', form: [] }, { anonymous: true })
    const api = `/api/v3/surveys/${survey.id}/`
    for (const [path, structure, field] of [
      ['structure/', external, '/form/0/children/0/children/0/choices/0/image/url'],
      ['draft/', conditional, '/form/1/children/0/choices/1/image/url'],
    ] as const)
      expect(await ann.put(`${api}${path}`, { json: { structure } })).toMatchObject({
        status: 400,
        body: { code: 'invalid_structure', errors: [{ code: 'external_image', field }] },
      })
    expect((await ann.get(`${api}structure/`)).text).not.toContain('tracker.example')
  })

  test('prevents a survey and its collectors from becoming anonymous, with a list of the places', async () => {
    const { survey } = await addSurvey(ann, conditional)
    const error = {
      code: 'external_image',
      params: { pointer: '/form/1/children/0/choices/1/image/url' },
      message: 'cannot be turned on: the image of choice 2 of “Why not?” is on another website; upload it first',
    }
    expect(await ann.put(settingsOf(survey.id), { json: { anonymous: true } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ ...error, field: 'anonymous' }] },
    })
    const { body } = await ann.get(`/api/v3/surveys/${survey.id}/collectors/`)
    for (const reply of [
      await ann.put(body.results[0].collector_uri, { json: { settings: { anonymous: true } } }),
      await ann.post('/api/v3/collectors/', { json: { name: 'B', survey: survey.id, settings: { anonymous: true } } }),
    ])
      expect(reply).toMatchObject({ status: 400, body: { errors: [{ ...error, field: 'settings.anonymous' }] } })
    expect((await ann.get(settingsOf(survey.id))).body.anonymous).toBe(false)
  })

  test('in a draft prevents publishing after the survey has become anonymous, also by a restored version', async () => {
    const { survey } = await addSurvey(ann, external)
    const api = `/api/v3/surveys/${survey.id}/`
    await ann.put(`${api}structure/`, { json: { structure: { title: 'Cups', form: [] } } })
    expect((await ann.put(`${api}draft/`, { json: { structure: external } })).status).toBe(200)
    expect((await ann.put(settingsOf(survey.id), { json: { anonymous: true } })).status).toBe(200)
    const refused = { status: 400, body: { code: 'invalid_structure', errors: [{ code: 'external_image' }] } }
    expect(await ann.post(`${api}draft/publish/`, { json: {} })).toMatchObject(refused)
    expect(await ann.post(`${api}versions/`, { json: { restore: 1 } })).toMatchObject(refused)
  })

  test('is refused by the builder of an anonymous survey, which offers to upload the file', async () => {
    const { root, browser, id, person } = await openBuilder(
      world,
      withImage('/images/0123456789abcdef0123456789abcdef.png'),
    )
    expect((await person.put(settingsOf(id), { json: { anonymous: true } })).status).toBe(200)
    const path = `${root}question/?id=cup`
    const page = await browser.multipart(path, {
      ...fieldsIn(await browser.get(path)),
      'choice.0.image': TRACKER,
      'choice.0.alt': 'A cup',
      do: 'save',
    })
    expect(page.status).toBe(422)
    expect(unescapeHtml(page.text)).toContain(
      'must be an uploaded image, because the survey is anonymous: upload the file',
    )
  })
})
