import { describe, expect, test } from '@jest/globals'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

describe('getIndex [spec 5.12]', () => {
  test('maps each collection to a URL that returns it', async () => {
    const ann = await world.person()
    const { status, body } = await ann.get('/api/v3/')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([
      'templates',
      'surveys',
      'collectors',
      'contacts',
      'embeds',
      'contact-lists',
      'webhooks',
    ])
    for (const [name, uri] of Object.entries<string>(body)) expect(uri).toBe(`${world.base}/api/v3/${name}/`)
    for (const name of ['templates', 'surveys', 'collectors', 'embeds'])
      expect(await ann.get(body[name])).toMatchObject({
        status: 200,
        body: { count: 0, next: null, previous: null, results: [] },
      })
    expect((await ann.get('/api/v3')).body).toEqual(body)
  })
})
