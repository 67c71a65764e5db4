import { beforeAll, describe, expect, test } from '@jest/globals'
import { HttpBrowser } from '../../support/http-browser.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const DAY_MS = 86_400_000

describe('preview links', () => {
  const world = useWorld()
  let ann: Person
  let survey: number
  let links: string
  beforeAll(async () => {
    ann = await world.person({ name: 'Ann' })
    survey = await makeSurvey(ann, { title: 'Tea' })
    links = `/api/v3/surveys/${survey}/preview-links/`
  })

  const statusOf = async (url: string) => (await new HttpBrowser(world.base).get(new URL(url).pathname)).status

  test('are created by createPreviewLink, once with an address, and listed by listPreviewLinks [spec 5.10]', async () => {
    const created = await ann.post(links, { json: { label: ' Ethics board ', expires_in_days: 7 } })
    expect(created).toMatchObject({ status: 201, body: { label: 'Ethics board', version: null } })
    const { url, ...link } = created.body
    expect(url).toMatch(/\/preview\/[\w-]{43}\/$/)
    expect(Date.parse(link.expires_at) - Date.parse(link.created_at)).toBe(7 * DAY_MS)
    expect((await ann.get(links)).body).toMatchObject({ count: 1, results: [link] })
    const rows = await world.em().getConnection().execute('select * from preview_link')
    expect(JSON.stringify(rows)).not.toContain(url.split('/').at(-2))
    expect(await statusOf(url)).toBe(200)
    world.now = new Date(world.now.getTime() + 7 * DAY_MS)
    expect(await statusOf(url)).toBe(404)
    expect((await ann.get(links)).body.count).toBe(0)
  })

  test('are not found after revokePreviewLink, nor when their survey is in the trash [spec 5.10]', async () => {
    const [first, second] = [await ann.post(links, {}), await ann.post(links, { form: { label: 'Client' } })]
    expect((await ann.delete(`${links}${first.body.id}/`)).body).toBe('OK')
    expect(await statusOf(first.body.url)).toBe(404)
    expect(await statusOf(second.body.url)).toBe(200)
    expect(await ann.delete(`${links}${first.body.id}/`)).toMatchObject({
      status: 404,
      body: { code: 'preview_link_not_found' },
    })
    const other = await makeSurvey(ann, { title: 'Coffee' })
    const foreign = `/api/v3/surveys/${other}/preview-links/${second.body.id}/`
    expect((await ann.delete(foreign)).body.code).toBe('preview_link_not_found')
    const { url } = (await ann.post(`/api/v3/surveys/${other}/preview-links/`, { json: {} })).body
    await ann.delete(`/api/v3/surveys/${other}/`)
    expect(await statusOf(url)).toBe(404)
  })

  test('of a version that does not exist, too long labels and a 51st link are refused by createPreviewLink [spec 5.10]', async () => {
    expect((await ann.post(links, { json: { version: 9 } })).body.code).toBe('version_not_found')
    expect((await ann.post(links, { json: { label: 'x'.repeat(101) } })).body.errors).toMatchObject([
      { field: 'label' },
    ])
    expect((await ann.post(links, { json: { expires_in_days: 0 } })).body.errors).toMatchObject([
      { field: 'expires_in_days' },
    ])
    const path = `/api/v3/surveys/${await makeSurvey(ann, { title: 'Many' })}/preview-links/`
    for (let count = 0; count < 50; count += 1) await ann.post(path, { json: {} })
    expect(await ann.post(path, { json: {} })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'label', code: 'limit_reached', params: { max: 50 } }] },
    })
  })

  test('are in the activity of their survey, without their keys [spec 4.6]', async () => {
    const { results } = (await ann.get(`/api/v3/surveys/${survey}/activity/`)).body
    const kinds = results.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['preview_shared', 'preview_unshared']))
    expect(JSON.stringify(results)).not.toContain('preview/')
  })
})
