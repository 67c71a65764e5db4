import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const choice = (id: string, title: string, labels: string[], more: object = {}, option: object = {}) => ({
  idname: 'single-choice',
  id,
  title,
  children: [{ choices: labels.map((label) => ({ label })), ...option }],
  ...more,
})
const rule = (question: string, op: string, value?: unknown) => ({ question, op, value })

const CLUB = {
  title: { en: 'Club', de: 'Verein' },
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'de', name: 'Deutsch' },
  ],
  form: [
    {
      children: [
        choice('age', 'How old are you?', ['Below 18', '18 to 60', 'Above 60'], {}, { required: true }),
        { idname: 'number', id: 'years', title: 'Years of membership?', children: [{ decimals: 1, min: 0, max: 60 }] },
      ],
      skip: [
        { when: rule('age', 'eq', 0), to: 'terminate' },
        { when: { all: [rule('age', 'eq', 2), rule('years', 'gt', 59.5)] }, to: 4 },
      ],
    },
    {
      children: [
        {
          idname: 'multiple-choice',
          id: 'sports',
          title: 'Sports?',
          children: [{ choices: [{ label: 'A' }, { label: 'B' }] }],
        },
        {
          idname: 'text-response',
          id: 'why',
          title: 'Why A?',
          condition: rule('sports', 'contains', 0),
          children: [{ required: true }],
        },
      ],
    },
    {
      condition: rule('age', 'eq', 0),
      children: [{ idname: 'email', id: 'parents', title: 'Address of your parents?' }],
    },
    { children: [{ idname: 'rating', id: 'rating', title: 'Rate us', children: [{ required: true }] }] },
  ],
  quotas: [
    { name: 'Seniors', when: rule('age', 'eq', 2), limit: 10, action: 'close' },
    { name: 'Minors', when: rule('age', 'eq', 0), limit: 10, action: 'close' },
  ],
}

const rehearse = (id: number, json: object = {}) => ann.post(`/api/v3/surveys/${id}/rehearsal/`, { json })

describe('rehearseSurvey [spec 5.10]', () => {
  test('walks every path in each language, and reports paths, minutes, unseen pages and quotas; stores nothing', async () => {
    const id = await makeSurvey(ann, CLUB)
    const { status, body } = await rehearse(id, { walks: 600, seed: 3 })
    expect(status).toBe(200)
    expect(body).toMatchObject({ seed: 3, requested: 600, walks: 600, path_count: 3, dead_ends: [] })
    expect(body.ends).toMatchObject({ stuck: 0, abandoned: 0 })
    expect(body.ends.complete + body.ends.terminate).toBe(600)
    const paths = body.paths.map(({ pages, end }: { pages: number[]; end: string }) => `${pages.join()} ${end}`)
    expect(paths.toSorted()).toEqual(['1 terminate', '1,2,4 complete', '1,4 complete'])
    expect(body.unseen_pages).toEqual([{ page: 3, certain: true }])
    expect(body.unseen_questions).toEqual([])
    expect(body.quotas).toMatchObject([
      { name: 'Seniors', limit: 10, walks: expect.any(Number) },
      { name: 'Minors', limit: 10, walks: 0 },
    ])
    expect(body.quotas[0].walks).toBeGreaterThan(0)
    expect(body.languages.map(({ code, walks }: { code: string; walks: number }) => [code, walks])).toEqual([
      ['en', 300],
      ['de', 300],
    ])
    expect(body.minutes.shortest).toBeLessThan(body.minutes.average)
    expect(body.minutes.average).toBeLessThan(body.minutes.longest)
    expect((await ann.get(`/api/v3/surveys/${id}/responses/`)).body.count).toBe(0)
    expect((await ann.get(`/api/v3/surveys/${id}/`)).body.number_of_responses).toBe(0)
  })

  test('shows the same sample as an export of these answers', async () => {
    const id = await makeSurvey(ann, CLUB)
    const { sample } = (await rehearse(id, { walks: 100 })).body
    expect(sample.columns).toEqual([
      '_completed',
      '_language',
      '_completion_time',
      ...['How old are you?', 'Years of membership?', 'Sports? - A', 'Sports? - B', 'Why A?'],
      ...['Address of your parents?', 'Rate us'],
    ])
    expect(sample.rows.length).toBeGreaterThan(1)
    const terminated = sample.rows.find(([completed]: string[]) => completed === 'Terminated')!
    expect(terminated.slice(3)).toEqual(['Below 18', expect.stringMatching(/^(\d+(\.\d)?)?$/), '', '', '', '', ''])
    const row = sample.rows.find(([completed]: string[]) => completed === 'Complete')!
    const value = (title: string): string => row[sample.columns.indexOf(title)]
    const answers = {
      age: value('How old are you?'),
      years: value('Years of membership?'),
      ...(value('Sports? - A') && { 'sports\\0': 'A' }),
      ...(value('Sports? - B') && { 'sports\\1': 'B' }),
      why: value('Why A?'),
      rating: value('Rate us'),
    }
    await ann.post(`/api/v3/surveys/${id}/responses/`, { json: answers })
    const { text } = await ann.get(`/api/v3/surveys/${id}/csv/?include_labels=1&show_titles=1`)
    const [header = '', line = ''] = text.trim().split('\r\n')
    expect(header.split(',').slice(-7)).toEqual(sample.columns.slice(3))
    expect(line.split(',').slice(-7)).toEqual(row.slice(3))
  })

  test('names the question of a placeholder in a heading of the sample', async () => {
    const question = (id: string, title: string) => ({ idname: 'text-response', id, title, children: [{}] })
    const children = [question('name', 'Your name?'), question('why', 'Why, {{ name }}?')]
    const id = await makeSurvey(ann, { title: 'Names', form: [{ children }] })
    const { sample } = (await rehearse(id, { walks: 5 })).body
    expect(sample.columns.slice(3)).toEqual(['Your name?', 'Why, ‹Your name?›?'])
    // Exports for programs have always had the text of the structure.
    const { text } = await ann.get(`/api/v3/surveys/${id}/csv/?show_titles=1`)
    expect(text).toContain('Why, {{ name }}?')
  })

  test('gives the same result for the same seed, and another one for another seed', async () => {
    const id = await makeSurvey(ann, CLUB)
    const first = (await rehearse(id, { walks: 60, seed: 5 })).body
    expect((await rehearse(id, { walks: 60, seed: 5 })).body).toEqual(first)
    expect((await rehearse(id, { walks: 60, seed: 6 })).body.paths).not.toEqual(first.paths)
  })

  test('rehearses the draft, also for a survey without questions', async () => {
    const id = await makeSurvey(ann, { title: 'Empty' })
    expect((await rehearse(id)).body).toMatchObject({ walks: 0, minutes: null, paths: [], sample: { rows: [] } })
    await ann.put(`/api/v3/surveys/${id}/draft/`, {
      json: { title: 'One', form: [{ children: [choice('a', 'A?', ['Y', 'N'])] }] },
    })
    const { body } = await ann.post(`/api/v3/surveys/${id}/rehearsal/`, { form: { walks: '20' } })
    expect(body).toMatchObject({ walks: 20, seed: 1, paths: [{ pages: [1], end: 'complete', walks: 20 }] })
    expect(body.revision).toBe((await ann.get(`/api/v3/surveys/${id}/draft/`)).body.revision)
  })

  test('returns 400 for too many walks, and 404 for the survey of another account', async () => {
    const id = await makeSurvey(ann, CLUB)
    expect((await rehearse(id, { walks: 10_001 })).body.errors).toMatchObject([{ field: 'walks' }])
    const bob = await world.person()
    expect((await bob.post(`/api/v3/surveys/${id}/rehearsal/`, { json: {} })).status).toBe(404)
  })
})
