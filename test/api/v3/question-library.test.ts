import { beforeAll, describe, expect, test } from '@jest/globals'
import { addMember, makeGroup, share } from '../../support/groups.ts'
import { png, uploadImage } from '../../support/images.ts'
import { makeSurvey } from '../../support/responses.ts'
import { eraseSurvey } from '../../support/surveys.ts'
import { type Person, useWorld } from '../../support/world.ts'

const LIBRARY = '/api/v3/question-library/'
const text = (id: string, title: unknown, more: object = {}) => ({ idname: 'text-response', id, title, ...more })
const SOURCE = {
  title: 'Source',
  form: [
    {
      children: [
        {
          idname: 'single-choice',
          id: 'drink',
          title: 'Which 100% drink?',
          choices: [{ label: 'Tea' }, { label: 'Milk' }],
        },
        text('why', 'Why {{ drink }}?', {
          identifier: 'reason',
          condition: { all: [{ question: 'drink', op: 'eq', value: 0 }] },
        }),
      ],
    },
  ],
}

describe('the question library', () => {
  const world = useWorld()
  let ann: Person
  let source: number
  beforeAll(async () => {
    ann = await world.person({ name: 'Ann' })
    source = await makeSurvey(ann, SOURCE)
  })
  const save = (json: object = {}, by = ann) =>
    by.post(LIBRARY, { json: { survey: source, question: 'drink', ...json } })
  const insert = (survey: number, json: object, by = ann) =>
    by.post(`/api/v3/surveys/${survey}/draft/library-questions/`, { json })
  const draft = async (id: number, by = ann) => (await by.get(`/api/v3/surveys/${id}/draft/`)).body.structure
  const newTarget = (by = ann, more: object = {}) =>
    makeSurvey(by, { title: 'T', form: [{ children: [text('a', 'A?'), text('b', 'B?')] }, { children: [] }], ...more })

  test('createLibraryQuestion: saves a question by its title, without what needs other questions [spec 5.11]', async () => {
    const { status, body } = await save({ question: 'why' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'Why ?',
      idname: 'text-response',
      languages: ['en'],
      author: 'Ann',
      group: null,
    })
    expect([...body.losses].sort()).toEqual(['condition', 'placeholder'])
    const target = await newTarget()
    await insert(target, { library_question: body.id })
    const [inserted] = (await draft(target)).form[1].children
    expect(inserted).toMatchObject({ title: { en: 'Why ?' }, identifier: 'reason' })
    expect(inserted.condition).toBeUndefined()
    expect((await save({ name: '  Mine ' })).body.name).toBe('Mine')
    expect((await draft(source)).form[0].children[1].identifier).toBe('reason')
  })

  test('insertLibraryQuestion: inserts copies with new IDs, at the end or at a position [spec 5.10]', async () => {
    const { id } = (await save()).body
    const target = await newTarget()
    const end = await insert(target, { library_question: id, page: 1 })
    expect(end).toMatchObject({ status: 201, body: { survey: target, page: 1, losses: [], untranslated: [] } })
    const start = await insert(target, { library_question: id, page: 1, position: 1 })
    const ids = (await draft(target)).form[0].children.map((question: { id: string }) => question.id)
    expect(ids).toEqual([start.body.questions[0].to, 'a', 'b', end.body.questions[0].to])
    expect(new Set(ids).size).toBe(4)
    for (const place of [{ page: 3 }, { page: 1, position: 6 }])
      expect((await insert(target, { library_question: id, ...place })).body.code).toBe('structure_changed')
    const empty = await makeSurvey(ann, { title: 'Empty', form: [] })
    expect((await insert(empty, { library_question: id })).status).toBe(201)
    const german = await newTarget(ann, {
      title: { de: 'Z' },
      languages: [{ code: 'de', name: 'Deutsch', isDefault: true }],
      form: [{ children: [] }],
    })
    expect((await insert(german, { library_question: id })).body).toMatchObject({
      untranslated: ['de'],
      lost_languages: ['en'],
    })
  })

  test('listLibraryQuestions: pages, newest first, and searches for a part of the name [spec 5.11]', async () => {
    const person = await world.person()
    const survey = await makeSurvey(person, SOURCE)
    const own = (name?: string) => save({ survey, ...(name && { name }) }, person)
    await own()
    await own('100 drinks')
    await own('A_B')
    const names = async (query: string) => {
      const { body } = await person.get(LIBRARY + query)
      return [body.count, ...body.results.map(({ name }: { name: string }) => name)]
    }
    expect(await names('')).toEqual([3, 'A_B', '100 drinks', 'Which 100% drink?'])
    expect(await names('?search=DRINK')).toEqual([2, '100 drinks', 'Which 100% drink?'])
    expect(await names('?search=0%25')).toEqual([1, 'Which 100% drink?'])
    expect(await names('?search=_')).toEqual([1, 'A_B'])
    expect(await names('?page_size=1&page=2')).toEqual([3, '100 drinks'])
  })

  test('deleteLibraryQuestion: members of the group insert, only the owner deletes, others see nothing [spec 5.11]', async () => {
    const [bob, carol] = [await world.person(), await world.person()]
    const group = await makeGroup(ann, 'Research')
    await addMember(ann, group, bob, 'Test')
    const { id } = (await save({ group })).body
    const listed = async (by: Person) => (await by.get(LIBRARY)).body.results.map((each: { id: number }) => each.id)
    expect(await listed(bob)).toEqual([id])
    expect(await listed(carol)).toEqual([])
    const [bobs, carols] = [await newTarget(bob), await newTarget(carol)]
    expect((await insert(bobs, { library_question: id }, bob)).status).toBe(201)
    expect((await insert(carols, { library_question: id }, carol)).body.code).toBe('library_question_not_found')
    expect((await bob.delete(`${LIBRARY}${id}/`)).body.code).toBe('forbidden')
    expect((await carol.delete(`${LIBRARY}${id}/`)).body.code).toBe('library_question_not_found')
    await share(ann, source, group)
    expect((await insert(source, { library_question: id }, bob)).body.code).toBe('forbidden')
    expect((await save({}, carol)).body.code).toBe('survey_not_found')
    expect((await save({ group }, bob)).status).toBe(201)
    expect((await save({ survey: carols, question: 'a', group }, carol)).body.code).toBe('group_not_found')
    expect((await save({ question: 'zz' })).body.code).toBe('question_not_found')
    expect((await ann.delete(`${LIBRARY}${id}/`)).status).toBe(200)
    expect((await ann.delete(`${LIBRARY}${id}/`)).status).toBe(404)
    expect((await draft(bobs, bob)).form[1].children).toHaveLength(1)
  })

  test('is limited in the number and the size of its questions', async () => {
    const person = await world.person()
    const choices = Array.from({ length: 1000 }, (_, index) => ({ label: `${index} `.padEnd(100, 'x') }))
    const survey = await makeSurvey(person, {
      title: 'Large',
      form: [{ children: [{ idname: 'single-choice', id: 'large', title: 'L', choices }, text('small', 'S')] }],
    })
    const large = await save({ survey, question: 'large' }, person)
    expect(large.body.errors).toMatchObject([{ field: 'question', code: 'too_long' }])
    expect((await save({ survey, question: 'small' }, person)).status).toBe(201)
    await world
      .em()
      .getConnection()
      .execute(
        `insert into question_library (owner_id, name, idname, structure, created_at)
         select owner_id, name, idname, structure, created_at from question_library, generate_series(1, 999)
         where owner_id = ?`,
        [person.actor.id],
      )
    const full = await save({ survey, question: 'small' }, person)
    expect(full.body.errors).toMatchObject([{ field: 'question', code: 'limit_reached' }])
  })

  test('keeps images after the survey was erased, and what a group uses after its author has left', async () => {
    const bob = await world.person()
    const group = await makeGroup(ann, 'Heirs')
    await addMember(ann, group, bob, 'Edit')
    const survey = await makeSurvey(bob, { title: 'Pictures' })
    const { url } = (await uploadImage(bob, survey, png(300))).body
    const choices = [{ label: 'One', image: { url, alt: 'One' } }]
    const form = [{ children: [{ idname: 'image-choice', id: 'p', title: 'P?', choices }] }]
    await bob.put(`/api/v3/surveys/${survey}/structure/`, { json: { structure: { title: 'Pictures', form } } })
    const { id } = (await save({ survey, question: 'p', group }, bob)).body
    const alone = (await save({ survey, question: 'p' }, bob)).body.id
    const left = await bob.delete(`/api/v3/users/${bob.actor.id}/`, { json: { password: bob.password } })
    expect(left.status).toBe(200)
    const mine = (await ann.get(LIBRARY)).body.results.find((each: { id: number }) => each.id === id)
    expect(mine).toMatchObject({ user_id: ann.actor.id })
    expect((await ann.delete(`${LIBRARY}${alone}/`)).status).toBe(404)
    const statusOfImage = async () => (await fetch(world.base + url)).status
    expect(await statusOfImage()).toBe(200)
    const target = await newTarget()
    await insert(target, { library_question: id })
    expect(JSON.stringify((await draft(target)).form[1])).toContain(url)
    await ann.delete(`${LIBRARY}${id}/`)
    expect(await statusOfImage()).toBe(200)
    const stored = () => world.em().getConnection().execute('select digest from image')
    expect(await stored()).toHaveLength(1)
    await eraseSurvey(ann, target)
    expect(await stored()).toHaveLength(0)
  })
})
