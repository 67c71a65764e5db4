import { describe, expect, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { addSurvey, pageOf } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { signInOwner } from './survey-owner.ts'

const world = useWorld()

describe('the codebook on a page', () => {
  test('names metadata in the language of the page, and no two columns alike', async () => {
    const { browser, root } = await signInOwner(world)
    const german = { 'accept-language': 'de' }
    const { text } = await browser.get(`${root}codebook/`, german)
    expect(text).toContain('<code>response_created_at</code></th><td data-title="Beschriftung"><span>Begonnen (UTC)<')
    expect(text).toContain('<code>0</code> Unvollständig, <code>1</code> Vollständig, <code>2</code> Ausgeschlossen')
    const labels = [...text.matchAll(/<td data-title="Beschriftung"><span[^>]*>(.*?)<\/span>/g)].map(
      ([, label]) => label,
    )
    expect(new Set(labels).size).toBe(labels.length)
    const file = await browser.get(`${root}codebook/?format=spss`, german)
    expect(unescapeHtml(file.text)).toContain("response_id 'ID der Antwort'")
  })

  test('names the question of a placeholder in a label', async () => {
    const { browser, person } = await signInOwner(world)
    const question = (id: string, title: string) => ({ idname: 'text-response', id, title, children: [{}] })
    const form = [pageOf(question('name', 'Your name')), pageOf(question('day', 'How was your day, {{ name }}?'))]
    const { survey } = await addSurvey(person, { title: 'T', form })
    const { text } = await browser.get(`/account/surveys/${survey.id}/responses/codebook/`)
    expect(text).toContain('<span lang="en">How was your day, ‹Your name›?</span>')
  })
})
