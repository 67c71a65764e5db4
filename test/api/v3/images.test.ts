import { beforeEach, describe, expect, it, test } from '@jest/globals'
import { IMAGES, png, uploadImage, withImage } from '../../support/images.ts'
import { makeSurvey } from '../../support/responses.ts'
import { eraseSurvey } from '../../support/surveys.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld({ settings: { FILES_MB_PER_ACCOUNT: '9' } })
let ann: Person
let id: number
/** The width of the last uploaded image. Each image has another width, so no two images have the same bytes. */
let width = 100
beforeEach(async () => {
  ann = await world.person()
  id = await makeSurvey(ann, { title: 'Cups' })
})

/** Uploads a new image. @returns its address in a structure */
const upload = async (owner = ann, survey = id): Promise<string> =>
  (await uploadImage(owner, survey, png(++width))).body.url
const statusOf = async (url: string) => (await fetch(world.base + url)).status
const codesOf = ({ body }: { body: { errors?: { code: string }[] } }) => body.errors?.map(({ code }) => code)
const stored = async () => (await world.em().getConnection().execute('select digest from image')).length
const put = (url: string, survey = id) =>
  ann.put(`/api/v3/surveys/${survey}/structure/`, { json: { structure: withImage(url) } })
const duplicate = async (survey: number, owner = ann): Promise<number> =>
  (await owner.post(`/api/v3/surveys/${survey}/duplicate/`)).body.id
/** Moves the clock and runs the job that deletes what has expired. */
async function purgeAfter(days: number): Promise<void> {
  world.now = new Date(world.now.getTime() + days * 86_400_000)
  await world.application.boss.send('purge-expired-credentials', {})
  await world.runJobs()
}

describe('createImage', () => {
  test.each(Object.entries(IMAGES))(
    'stores an image of the type %s and serves it at its URL',
    async (type, [extension, image]) => {
      const { status, body } = await uploadImage(ann, id, image)
      expect([status, body]).toEqual([
        201,
        {
          url: expect.stringMatching(new RegExp(`^/images/[0-9a-f]{32}\\.${extension}$`)),
          image_uri: world.base + body.url,
          type,
          width: 1,
          height: 1,
          size: image.length,
        },
      ])
      const reply = await fetch(body.image_uri)
      expect(Buffer.from(await reply.arrayBuffer()).equals(image)).toBe(true)
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'content-type': type,
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none';sandbox",
      })
      const etag = reply.headers.get('etag')!
      for (const tag of [etag, `W/${etag}`, etag.replace(/"$/, '-gzip"')])
        expect((await fetch(body.image_uri, { headers: { 'if-none-match': tag } })).status).toBe(304)
      expect((await fetch(body.image_uri, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
      const wrong = body.image_uri.replace(extension, extension === 'png' ? 'jpg' : 'png')
      expect((await fetch(wrong)).status).toBe(404)
    },
  )

  test.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>', 'invalid_image'],
    ['an HTML page', '<html><script>alert(1)</script></html>', 'invalid_image'],
    ['a PDF', '%PDF-1.7', 'invalid_image'],
    ['a TIFF', Buffer.from('49492a0008000000', 'hex'), 'invalid_image'],
    ['a PNG of 6,001 pixels', png(6001, 1), 'image_too_large'],
    ['more than 5 MB', Buffer.concat([png(50), Buffer.alloc(5_000_000)]), 'image_too_large'],
  ])('rejects %s and stores nothing', async (_, content, code) => {
    const before = await stored()
    const reply = await uploadImage(ann, id, Buffer.from(content as string))
    expect([reply.status, codesOf(reply)]).toEqual([400, [code]])
    expect(await stored()).toBe(before)
  })

  test('replies at once to an AVIF file of 200,000 small boxes', async () => {
    const box = (name: string, content: Buffer) => {
      const head = Buffer.alloc(8)
      head.writeUInt32BE(content.length + 8)
      head.write(name, 4, 'latin1')
      return Buffer.concat([head, content])
    }
    const sizes = Buffer.concat(Array.from({ length: 200_000 }, () => box('ispe', Buffer.alloc(12))))
    const properties = box('meta', Buffer.concat([Buffer.alloc(4), box('iprp', box('ipco', sizes))]))
    const reply = await uploadImage(ann, id, Buffer.concat([box('ftyp', Buffer.from('avif\0\0\0\0')), properties]))
    expect([reply.status, codesOf(reply)]).toEqual([400, ['invalid_image']])
  })

  const jpegWith = (segments: Buffer) => {
    const [, image] = IMAGES['image/jpeg']!
    return Buffer.concat([image.subarray(0, 2), segments, image.subarray(2)])
  }
  const segment = (bytes: number) =>
    Buffer.concat([Buffer.from([0xff, 0xe2, bytes >> 8, bytes & 255]), Buffer.alloc(bytes - 2)])

  test('rejects a JPEG file of a million segments before its size', async () => {
    const segments = Buffer.concat(Array(1_200_000).fill(segment(2)))
    expect(codesOf(await uploadImage(ann, id, jpegWith(segments)))).toEqual(['invalid_image'])
  })

  test('accepts a JPEG file with 600 KB of metadata before its size', async () => {
    const { status, body } = await uploadImage(ann, id, jpegWith(Buffer.concat(Array(10).fill(segment(60_000)))))
    expect([status, body]).toMatchObject([201, { width: 1, height: 1 }])
  })

  test.each(Object.entries(IMAGES))('rejects an incomplete image of the type %s [spec 6.14]', async (_, [, image]) => {
    const reply = await uploadImage(ann, id, image.subarray(0, -3))
    expect([reply.status, codesOf(reply)]).toEqual([400, ['image_incomplete']])
  })

  it('returns 404 for the survey of another account', async () => {
    expect((await uploadImage(await world.person(), id, png(7))).status).toBe(404)
  })

  it('stores an image once, however many surveys have it, and returns the same address', async () => {
    const before = await stored()
    const [first, again] = [await uploadImage(ann, id, png(33)), await uploadImage(ann, id, png(33))]
    const other = await world.person()
    const elsewhere = await uploadImage(other, await makeSurvey(other, { title: 'Other' }), png(33))
    expect([again.body, elsewhere.body]).toEqual([first.body, first.body])
    expect(await stored()).toBe(before + 1)
  })

  it('repeats the reply for a repeated Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'image-1' }
    const [first, second] = [await uploadImage(ann, id, png(34), key), await uploadImage(ann, id, png(34), key)]
    expect([second.body, second.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
    expect(await statusOf(first.body.url)).toBe(200)
    expect((await uploadImage(ann, id, png(35), key)).status).toBe(422)
  })

  it('counts each image once for the storage limit of the account', async () => {
    const large = (size: number) => Buffer.concat([png(size), Buffer.alloc(4_000_000)])
    for (const size of [60, 61]) expect((await uploadImage(ann, id, large(size))).status).toBe(201)
    expect((await uploadImage(ann, await duplicate(id), large(60))).status).toBe(201)
    expect(codesOf(await uploadImage(ann, id, large(62)))).toEqual(['file_storage_full'])
  })

  it('limits the images of a survey [spec 6.14]', async () => {
    for (let number = 0; number < 300; number += 1) await uploadImage(ann, id, png(number + 1, 3))
    expect(codesOf(await uploadImage(ann, id, png(301, 3)))).toEqual(['too_many_images'])
    expect((await uploadImage(ann, id, png(300, 3))).status).toBe(201)
  })
})

describe('an image in a structure', () => {
  it('is shown to respondents and by the API [spec 6.14]', async () => {
    const url = await upload()
    expect((await put(url)).status).toBe(200)
    const { text } = await world.anonymous.get(`/surveys/${ann.actor.username}/cups/`)
    expect(text).toContain(`<img src="${url}" alt="A green cup"`)
    const { body } = await ann.get(`/api/v3/surveys/${id}/questions/cup/?language=en`)
    expect(body.choices[0].image).toEqual({ url: world.base + url, alt: 'A green cup' })
    expect((await put('/images/x.png')).status).toBe(400)
  })

  it('stays in copies and templates of a survey that is deleted, until the last one is deleted [spec 6.14]', async () => {
    const url = await upload()
    await put(url)
    const copy = await duplicate(id)
    const { body: template } = await ann.post('/api/v3/templates/', { json: { name: 'Cups', survey: id } })
    await eraseSurvey(ann, id)
    expect(await statusOf(url)).toBe(200)
    await eraseSurvey(ann, copy)
    expect(await statusOf(url)).toBe(200)
    const { body: made } = await ann.post('/api/v3/surveys/', { json: { name: 'New', template: template.id } })
    await ann.put(`/api/v3/templates/${template.id}/`, { json: { structure: { title: 'Empty' } } })
    expect(await statusOf(url)).toBe(200)
    await eraseSurvey(ann, made.id)
    expect(await statusOf(url)).toBe(404)
  })

  it('is served until the last survey with its URL is deleted, even if this survey is in another account', async () => {
    const url = await upload()
    const bob = await world.person()
    const own = await makeSurvey(bob, withImage(world.base.replace('http:', 'https:') + url))
    await ann.delete(`/api/v3/users/${ann.actor.id}/`, { json: { password: ann.password } })
    expect((await ann.get(`/api/v3/surveys/${id}/`)).status).toBe(401)
    expect(await statusOf(url)).toBe(200)
    await eraseSurvey(bob, own)
    expect(await statusOf(url)).toBe(404)
  })

  it('is never lost when copies and originals are deleted at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const url = await upload()
      const survey = await makeSurvey(ann, withImage(url))
      const copies = await Promise.all([duplicate(survey), eraseSurvey(ann, id), duplicate(survey)])
      const [first, , second] = copies
      const [third] = await Promise.all([
        duplicate(first as number),
        eraseSurvey(ann, survey),
        eraseSurvey(ann, second),
      ])
      await eraseSurvey(ann, first)
      expect(await statusOf(url)).toBe(200)
      await eraseSurvey(ann, third)
      expect(await statusOf(url)).toBe(404)
      id = await makeSurvey(ann, { title: 'Cups' })
    }
  })

  it('is deleted a week after its upload, unless a version, or a draft step that can be undone, contains it [spec 6.14]', async () => {
    const [unused, drafted, published] = [await upload(), await upload(), await upload()]
    await put(published)
    await put(unused.replace(/.{36}$/, `${'0'.repeat(32)}.png`))
    await ann.put(`/api/v3/surveys/${id}/draft/`, { json: { structure: withImage(drafted) } })
    await ann.put(`/api/v3/surveys/${id}/draft/`, { json: { structure: { title: 'Without' } } })
    const shown = async () => [await statusOf(unused), await statusOf(drafted), await statusOf(published)]
    await purgeAfter(6)
    expect(await shown()).toEqual([200, 200, 200])
    await purgeAfter(2)
    expect(await shown()).toEqual([404, 200, 200])
    await ann.delete(`/api/v3/surveys/${id}/draft/`)
    await purgeAfter(0)
    expect(await shown()).toEqual([404, 404, 200])
  })

  it('is kept if a structure with the image is saved while the image is being deleted', async () => {
    const url = await upload()
    const digest = url.slice(8, 40)
    const saving = await world.application.services.pool.connect()
    try {
      await saving.query('begin')
      // In a deadlock, this transaction is the one that fails.
      await saving.query("set local deadlock_timeout = '100ms'")
      await saving.query('select from image where digest = $1 for key share', [digest])
      const purging = purgeAfter(8)
      await waitUntil(async () => {
        const { rows } = await saving.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
        return rows.length > 0
      }, 10_000)
      await saving.query('update image_use set is_kept = true where digest = $1', [digest])
      await saving.query('commit')
      await purging
    } finally {
      saving.release()
    }
    expect(await statusOf(url)).toBe(200)
  })

  it('is in the export of the account', async () => {
    const url = await upload()
    const { text } = await ann.get(`/api/v3/users/${ann.actor.id}/export/`)
    expect(text).toContain(`surveys/${id}-cups${url}`)
  })
})
