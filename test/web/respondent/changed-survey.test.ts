import { describe, expect, it } from '@jest/globals'
import {
  hiddenValue,
  pageOf,
  responsesTo,
  restructure,
  sendForm,
  single,
  surveyOf,
  text,
} from '../../support/surveys.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

/** Runs an edit before each of the next submissions reaches the database. */
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
    const { survey, path } = await surveyOf(world, person, structure('Breakfast'))
    const first = await world.anonymous.get(path)
    editBeforeEach(5, (left) => restructure(world, person, survey.id, structure(`Edit ${left}`)))
    const sent = await sendForm(world.anonymous, first, { name: 'Ada <3', bread: '1' })
    expect(sent.status).toBe(200)
    expect(sent.text).toContain('This survey was changed while you were answering')
    expect(sent.text).toContain('value="Ada &lt;3"')
    expect(sent.text).toMatch(/name="bread" value="1"[^>]* checked/)
    expect(hiddenValue(sent, '_key')).toBe(hiddenValue(first, '_key'))
    expect(await responsesTo(world, survey.id)).toEqual([])
    expect((await sendForm(world.anonymous, sent, { name: 'Ada <3', bread: '1' })).status).toBe(303)
    expect(await responsesTo(world, survey.id)).toMatchObject([{ answers: { name: 'Ada <3', bread: 1 }, completed: 1 }])
  })

  it('shows the page with its current questions', async () => {
    const person = await world.person()
    const { survey, path } = await surveyOf(world, person, { title: 'Old', form: [pageOf(text('name'), text('gone'))] })
    const first = await world.anonymous.get(path)
    const edited = (title: string) => ({ title, form: [pageOf(text('name'), text('added', { required: true }))] })
    // The last edit adds a required question: with fewer edits, the page would be rejected for it.
    editBeforeEach(5, (left) =>
      restructure(
        world,
        person,
        survey.id,
        left > 1 ? { title: `${left}`, form: [pageOf(text('name'))] } : edited('New'),
      ),
    )
    const sent = await sendForm(world.anonymous, first, { name: 'Ada', gone: 'x' })
    expect(sent.status).toBe(200)
    expect(sent.text).toContain('value="Ada"')
    expect(sent.text).toContain('Text added')
    expect(sent.text).not.toContain('Text gone')
  })
})
