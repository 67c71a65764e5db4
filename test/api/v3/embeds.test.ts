import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
let bob: Person
let survey: { id: number; survey_uri: string; deploy_url: string; collectors_uri: string }
beforeAll(async () => {
  ann = await world.person({ username: 'ann' })
  bob = await world.person()
  survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea & "cake" <b>' } })).body
})
const TITLE = 'Tea &amp; &quot;cake&quot; &lt;b&gt;'
const embed = async (form: Record<string, string | number>) => ann.post('/api/v3/embeds/', { form })

describe('createEmbed', () => {
  test('returns a snippet for kind=iframe, as getEmbed does', async () => {
    const { status, body } = await embed({ survey: survey.id, kind: 'iframe' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      kind: 'iframe',
      survey: survey.id,
      survey_uri: survey.survey_uri,
      collector: null,
      deploy_url: survey.deploy_url,
      html: `<iframe data-canvass-frame src="${survey.deploy_url}" title="${TITLE}" width="100%" height="720" style="border:0" loading="lazy"></iframe><script src="${world.base}/embed/frame.js" async></script>`,
      created_at: '2026-01-15T12:00:00.000Z',
      embed_uri: `${world.base}/api/v3/embeds/${body.id}/`,
    })
    expect((await ann.get(body.embed_uri)).body).toEqual(body)
  })

  test('returns a link for kind=link and a collector', async () => {
    const collector = (await ann.post(survey.collectors_uri, { form: { name: 'Blog' } })).body
    const { body } = await embed({ survey: survey.id, kind: 'link', collector: collector.id })
    expect(body.collector).toBe(collector.id)
    expect(body.html).toBe(`<a href="${survey.deploy_url}?collector=${collector.id}">${TITLE}</a>`)
  })

  test('returns a button and a script of this server for kind=popup', async () => {
    const { body } = await embed({ survey: survey.id, kind: 'popup' })
    expect(body.html).toContain(
      `data-canvass-survey="${survey.deploy_url}" data-canvass-title="${TITLE}">${TITLE}</button>`,
    )
    const script = await world.anonymous.get(/<script src="([^"]+)"/.exec(body.html)![1]!)
    expect(script.status).toBe(200)
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    const etag = script.headers.get('etag')!
    for (const tag of [etag, `W/${etag}`, etag.replace(/"$/, '-gzip"')]) {
      // Without Cache-Control, fetch adds no-cache to a conditional request.
      const headers = { 'if-none-match': tag, 'cache-control': 'max-age=0' }
      expect((await world.anonymous.get('/embed/popup.js', { headers })).status).toBe(304)
    }
  })

  test('updates the snippet when the survey is renamed [spec 5.11]', async () => {
    const other = (await ann.post('/api/v3/surveys/', { form: { name: 'Before' } })).body
    const { body } = await embed({ survey: other.id, kind: 'link' })
    await ann.put(other.survey_uri, { form: { name: 'After' } })
    expect((await ann.get(body.embed_uri)).body.html).toBe(`<a href="${other.deploy_url}">After</a>`)
  })

  test.each([
    ['survey', { kind: 'link' }],
    ['kind', { survey: 1, kind: 'banner' }],
  ])('returns 400 for a missing or invalid %s', async (field, form) => {
    expect(await embed(form as Record<string, string>)).toMatchObject({ status: 400, body: { errors: [{ field }] } })
  })

  test('returns 404 for a survey of another account or a collector of another survey', async () => {
    const foreign = (await bob.post('/api/v3/surveys/', { form: { name: 'Foreign' } })).body
    const second = (await ann.post('/api/v3/surveys/', { form: { name: 'Second' } })).body
    const [collector] = (await ann.get(second.collectors_uri)).body.results
    expect(await embed({ survey: foreign.id, kind: 'link' })).toMatchObject({
      status: 404,
      body: { code: 'survey_not_found' },
    })
    expect(await embed({ survey: survey.id, kind: 'link', collector: collector.id })).toMatchObject({ status: 404 })
  })
})

describe('listEmbeds', () => {
  test('returns the embeds of the account, also under /embed/', async () => {
    const { body } = await ann.get('/api/v3/embeds/')
    expect(body.count).toBe(4)
    expect((await ann.get('/api/v3/embed/')).body.results).toEqual(body.results)
    expect((await ann.get(`/api/v3/embed/${body.results[0].id}/`)).body).toEqual(body.results[0])
    expect((await bob.get('/api/v3/embeds/')).body.count).toBe(0)
  })
})

describe('deleteEmbed', () => {
  test('returns "OK", after which the embed is not found, and 404 to other accounts', async () => {
    const [one, two] = (await ann.get('/api/v3/embeds/')).body.results
    expect((await bob.delete(one.embed_uri)).status).toBe(404)
    expect(await ann.delete(one.embed_uri)).toMatchObject({ status: 200, text: '"OK"' })
    expect((await ann.delete(`/api/v3/embed/${two.id}/`)).status).toBe(200)
    for (const { embed_uri: uri } of [one, two])
      expect(await ann.get(uri)).toMatchObject({ status: 404, body: { code: 'embed_not_found' } })
  })

  test('is not necessary when the survey is deleted, which deletes its embeds', async () => {
    const deleted = (await ann.post('/api/v3/surveys/', { form: { name: 'Gone' } })).body
    const { body } = await embed({ survey: deleted.id, kind: 'iframe' })
    await ann.delete(deleted.survey_uri)
    expect((await ann.get(body.embed_uri)).status).toBe(404)
  })
})
