import { beforeAll, describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { makeSurvey } from '../../support/responses.ts'
import { type Person, useWorld } from '../../support/world.ts'

const question = (id: string, title: string) => ({ idname: 'text-response', id, title })
const STRUCTURE = {
  title: 'Tea',
  form: [
    { title: 'Leaves', children: [question('a', 'Which tea?'), question('b', 'How strong?')] },
    { children: [question('c', 'Milk?')] },
  ],
}

describe('comments on a survey', () => {
  const world = useWorld()
  let ann: Person
  let bob: Person
  let survey: number
  let path: string
  beforeAll(async () => {
    ann = await world.person({ name: 'Ann' })
    bob = await world.person({ name: 'Bob' })
    survey = await makeSurvey(ann, STRUCTURE)
    const group = await makeGroup(ann, 'Tasters')
    await addMember(ann, group, bob, 'Test')
    await share(ann, survey, group)
    path = `/api/v3/surveys/${survey}/comments/`
  })

  const comment = async (body: object, by = ann) => (await by.post(path, { json: body })).body
  const threadOf = async (id: number) =>
    (await ann.get(`${path}?state=all&page_size=100`)).body.results.find((thread: { id: number }) => thread.id === id)

  test('begin with createComment on a question, a page or the survey, and are listed by listComments [spec 5.10]', async () => {
    const created = await bob.post(path, { json: { text: ' Too broad? ', question: 'b' } })
    expect(created).toMatchObject({
      status: 201,
      body: {
        about: 'question',
        question: 'b',
        page: 1,
        title: 'How strong?',
        removed: false,
        resolved_at: null,
        comments: [{ text: 'Too broad?', author: 'Bob', user_id: bob.actor.id, reviewer: false }],
      },
    })
    expect(await comment({ text: 'Too long', page: 1 })).toMatchObject({ about: 'page', page: 1, title: 'Leaves' })
    expect(await comment({ text: 'Nice' })).toMatchObject({ about: 'survey', page: null, question: null })
    const listed = (await ann.get(path)).body
    expect(listed.results.map(({ about }: { about: string }) => about)).toEqual(['survey', 'page', 'question'])
    expect((await ann.get(`${path}?question=b`)).body.count).toBe(1)
  })

  test('stay with a question or page that moves, and say when it was removed [spec 5.10]', async () => {
    const [onQuestion, onPage] = [await comment({ text: 'x', question: 'b' }), await comment({ text: 'y', page: 1 })]
    const [first, second] = STRUCTURE.form
    await ann.put(`/api/v3/surveys/${survey}/draft/`, { json: { ...STRUCTURE, form: [second, first] } })
    expect(await threadOf(onQuestion.id)).toMatchObject({ page: 2, removed: false })
    expect(await threadOf(onPage.id)).toMatchObject({ page: 2, removed: false })
    const form = [second, { children: [question('a', 'Which tea?')] }]
    await ann.put(`/api/v3/surveys/${survey}/draft/`, { json: { ...STRUCTURE, form } })
    expect(await threadOf(onQuestion.id)).toMatchObject({ page: null, removed: true, title: 'How strong?' })
    expect(await threadOf(onPage.id)).toMatchObject({ page: 2, removed: false })
    await ann.put(`/api/v3/surveys/${survey}/draft/`, { json: { ...STRUCTURE, form: [second] } })
    expect(await threadOf(onPage.id)).toMatchObject({ page: null, removed: true, title: 'Leaves' })
    await ann.delete(`/api/v3/surveys/${survey}/draft/`)
  })

  test('are answered by replyToComment, and resolved and opened again by updateComment [spec 5.10]', async () => {
    const { id } = await comment({ text: 'Why?', question: 'a' }, bob)
    const resolved = await ann.put(`${path}${id}/`, { json: { resolved: true } })
    expect(resolved.body).toMatchObject({ resolved_by: ann.actor.id })
    expect((await ann.get(`${path}?state=resolved`)).body.results).toMatchObject([{ id }])
    const replied = await bob.post(`${path}${id}/replies/`, { form: { text: 'Because.' } })
    expect(replied).toMatchObject({ status: 201, body: { resolved_at: null, resolved_by: null } })
    expect(replied.body.comments.map(({ text }: { text: string }) => text)).toEqual(['Why?', 'Because.'])
    const reply = replied.body.comments[1].id
    expect((await ann.post(`${path}${reply}/replies/`, { json: { text: 'x' } })).body.code).toBe('comment_not_found')
  })

  test('are deleted with deleteComment by their authors and by the owner; replies stay [spec 5.10]', async () => {
    const { id } = await comment({ text: 'Mine' })
    const { comments } = (await bob.post(`${path}${id}/replies/`, { json: { text: 'Ours' } })).body
    expect(await bob.delete(`${path}${id}/`)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect((await ann.delete(`${path}${id}/`)).body).toBe('OK')
    expect((await threadOf(id)).comments.map(({ text }: { text: string }) => text)).toEqual(['', 'Ours'])
    expect((await ann.delete(`${path}${comments[1].id}/`)).body).toBe('OK')
    expect(await threadOf(id)).toBeUndefined()
    expect(await ann.delete(`${path}${id}/`)).toMatchObject({ status: 404, body: { code: 'comment_not_found' } })
  })

  test('need a text of up to 2,000 characters and a place that exists [spec 5.10]', async () => {
    expect((await comment({ text: ' ' })).errors).toMatchObject([{ field: 'text' }])
    expect((await comment({ text: 'x'.repeat(2001) })).errors).toMatchObject([{ field: 'text' }])
    expect((await comment({ text: 'x', question: 'zz' })).code).toBe('question_not_found')
    expect((await comment({ text: 'x', page: 9 })).errors).toMatchObject([{ field: 'page', code: 'not_found' }])
    expect((await (await world.person()).get(path)).status).toBe(404)
  })

  test('of another survey are not found [spec 5.10]', async () => {
    const { id } = await comment({ text: 'Here' })
    const other = `/api/v3/surveys/${await makeSurvey(ann, { title: 'Other' })}/comments/`
    expect((await ann.put(`${other}${id}/`, { json: { resolved: true } })).body.code).toBe('comment_not_found')
    expect((await ann.delete(`${other}${id}/`)).body.code).toBe('comment_not_found')
    expect((await ann.post(`${other}${id}/replies/`, { json: { text: 'x' } })).body.code).toBe('comment_not_found')
  })
})
