import { describe, expect, it } from '@jest/globals'
import { useBucket } from '../../support/bucket.ts'
import { png, uploadImage, withImage } from '../../support/images.ts'
import { makeSurvey } from '../../support/responses.ts'
import { eraseSurvey } from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const bucket = useBucket('images')
const world = useWorld({ settings: { FILES_URL: 's3://images/canvass' } })

async function deleteObjects(): Promise<void> {
  await world.application.boss.send('delete-file-objects', {})
  await world.runJobs()
}

describe('a bucket of images', () => {
  it('contains each image once, until the last survey with the image is deleted', async () => {
    const ann = await world.person()
    const id = await makeSurvey(ann, { title: 'Cups' })
    const [{ body }] = await Promise.all([uploadImage(ann, id, png(90)), uploadImage(ann, id, png(90))])
    const copy = await makeSurvey(ann, withImage(body.url))
    await world.em().getConnection().execute('update file_deletion set due_at = now()')
    await deleteObjects()
    expect(bucket.objects()).toEqual([expect.stringMatching(/^canvass\/images\/[0-9a-f]{32}$/)])
    const image = await fetch(body.image_uri)
    expect(Buffer.from(await image.arrayBuffer()).equals(png(90))).toBe(true)
    expect((await fetch(body.image_uri, { headers: { 'if-none-match': image.headers.get('etag')! } })).status).toBe(304)
    await eraseSurvey(ann, id)
    await deleteObjects()
    expect((await fetch(body.image_uri)).status).toBe(200)
    await eraseSurvey(ann, copy)
    expect((await fetch(body.image_uri)).status).toBe(404)
    await deleteObjects()
    expect(bucket.objects()).toEqual([])
  })

  it('causes replies with status 503 while it is unavailable, and nothing is stored then', async () => {
    const ann = await world.person()
    const id = await makeSurvey(ann, { title: 'Cups' })
    const { body } = await uploadImage(ann, id, png(91))
    await bucket.stop()
    try {
      expect((await uploadImage(ann, id, png(92))).status).toBe(503)
      const unavailable = await fetch(body.image_uri)
      expect([unavailable.status, unavailable.headers.get('cache-control')]).toEqual([503, 'no-store'])
    } finally {
      await bucket.start()
    }
    expect((await fetch(body.image_uri)).status).toBe(200)
    expect((await uploadImage(ann, id, png(92))).status).toBe(201)
  })
})
