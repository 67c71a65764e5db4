import { describe, expect, it } from '@jest/globals'
import {
  addSurvey,
  hiddenValue,
  pageOf,
  replaceStructure,
  single,
  storedResponses,
  submitForm,
  text,
} from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

/** Runs an edit before each of the next attempts to store a submission. */
function editBeforeEach(submissions: number, edit: (left: number) => Promise<unknown>): void {
  const { submissionBatcher } = world.application.services
  const { submit } = submissionBatcher
  let left = submissions
  submissionBatcher.submit = async (response) => {
    if (left > 0) await edit(left--)
    else submissionBatcher.submit = submit
    return submit(response)
  }
}

describe('submitting a first page while the survey is edited at every attempt to store it', () => {
  it('shows the page again with the entered values, and stores it when it is submitted again', async () => {
    const person = await world.person()
    const structure = (title: string) => ({ title, form: [pageOf(text('name'), single('bread', ['Rye', 'Wheat']))] })
    const { survey, path } = await addSurvey(person, structure('Breakfast'))
    const first = await world.anonymous.get(path)
    editBeforeEach(5, (left) => replaceStructure(person, survey.id, structure(`Edit ${left}`)))
    const reply = await submitForm(world.anonymous, first, { name: 'Ada <3', bread: '1' })
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('This survey was changed while you were answering')
    expect(reply.text).toContain('value="Ada &lt;3"')
    expect(reply.text).toMatch(/name="bread" value="1"[^>]* checked/)
    expect(hiddenValue(reply, '_key')).toBe(hiddenValue(first, '_key'))
    expect(await storedResponses(world, survey.id)).toEqual([])
    expect((await submitForm(world.anonymous, reply, { name: 'Ada <3', bread: '1' })).status).toBe(303)
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { answers: { name: 'Ada <3', bread: 1 }, completed: 1 },
    ])
  })

  it('shows the page with its current questions', async () => {
    const person = await world.person()
    const { survey, path } = await addSurvey(person, { title: 'Old', form: [pageOf(text('name'), text('gone'))] })
    const first = await world.anonymous.get(path)
    const editedStructure = (title: string) => ({
      title,
      form: [pageOf(text('name'), text('added', { required: true }))],
    })
    // Only the last edit adds a required question. After an earlier edit, the next attempt would reject the page,
    // because the answer is missing.
    editBeforeEach(5, (left) =>
      replaceStructure(
        person,
        survey.id,
        left > 1 ? { title: `${left}`, form: [pageOf(text('name'))] } : editedStructure('New'),
      ),
    )
    const reply = await submitForm(world.anonymous, first, { name: 'Ada', gone: 'x' })
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('value="Ada"')
    expect(reply.text).toContain('Text added')
    expect(reply.text).not.toContain('Text gone')
  })
})

describe('submitting a page that was opened before the survey was edited', () => {
  it('stores the choice that the page showed', async () => {
    const person = await world.person()
    const structure = (...bread: string[]) => ({ title: 'Bread', form: [pageOf(single('bread', bread))] })
    const { survey, path } = await addSurvey(person, structure('Rye', 'Wheat', 'Spelt'))
    const [firstPage, secondPage] = [await world.anonymous.get(path), await world.anonymous.get(path)]
    const choiceValue = (page: { text: string }, label: string) =>
      new RegExp(`value="(\\d+)"[^>]*><label[^>]*>${label}`).exec(page.text)![1]!
    await replaceStructure(person, survey.id, structure('Barley', 'Wheat', 'Rye', 'Spelt'))
    expect((await submitForm(world.anonymous, firstPage, { bread: choiceValue(firstPage, 'Rye') })).status).toBe(303)
    await replaceStructure(person, survey.id, structure('Barley', 'Wheat', 'Rye'))
    expect((await submitForm(world.anonymous, secondPage, { bread: choiceValue(secondPage, 'Spelt') })).status).toBe(
      303,
    )
    const { body } = await person.get(`/api/v3/surveys/${survey.id}/responses/?include_labels`)
    expect(body.results.map(({ bread }: { bread: string }) => bread)).toEqual(['Rye', 'Spelt'])
  })
})
