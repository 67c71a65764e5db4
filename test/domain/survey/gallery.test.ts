import { describe, expect, it } from '@jest/globals'
import { checkStructure } from '../../../src/domain/structure/check.ts'
import { structureWarnings } from '../../../src/domain/structure/warnings.ts'
import { galleryTemplates } from '../../../src/domain/survey/gallery/gallery.ts'
import german from '../../../src/texts/de/gallery.json' with { type: 'json' }

const { templates } = galleryTemplates()

/** Returns every text of a structure. A text is an object that has a member `en`. */
function textsOf(value: unknown): Record<string, string>[] {
  if (typeof value !== 'object' || value === null) return []
  const isText = 'en' in value
  return isText ? [value as Record<string, string>] : Object.values(value).flatMap(textsOf)
}

describe('galleryTemplates', () => {
  it('has every template in English and German, and no translation of a text that no template has', () => {
    for (const { languages } of templates) expect(languages.slice(0, 2)).toEqual(['en', 'de'])
    const used = new Set(templates.flatMap(({ structure }) => textsOf(structure)).map(({ en }) => en))
    expect(Object.keys(german).filter((text) => !used.has(text))).toEqual([])
  })

  it('returns at least twelve templates with different IDs, names and descriptions', () => {
    expect(templates.length).toBeGreaterThanOrEqual(12)
    for (const member of ['id', 'name', 'description'] as const)
      expect(new Set(templates.map((template) => template[member])).size).toBe(templates.length)
  })

  it.each(templates.map((template) => [template.id, template] as const))(
    'returns the template %s without errors or warnings, with each text in each language of the template',
    (_, { structure, languages, questions }) => {
      expect(checkStructure(structure)).toEqual([])
      expect(structureWarnings(structure)).toEqual([])
      expect(questions).toBeGreaterThanOrEqual(4)
      const texts = textsOf({ title: structure.title, description: structure.description, form: structure.form })
      expect(texts.length).toBeGreaterThan(questions)
      for (const text of texts) {
        expect(Object.keys(text).sort()).toEqual([...languages].sort())
        expect(
          Object.values(text).every((translation) => translation.trim() === translation && translation !== ''),
        ).toBe(true)
      }
    },
  )
})
