import type { RewrittenTemplate, TemplateRewriter } from '../../lib/html.ts'
import { findSegments, type Segment, sourceOf, splitSource } from './segments.ts'

/** Returns the translation of a text; undefined if there is no translation. */
type Lookup = (text: string) => string | undefined

/**
 * Returns a function that translates the static texts of HTML templates. Each template is translated only once, because
 * the translation does not depend on the values in the template.
 */
export function templateTranslator(lookup: Lookup): TemplateRewriter {
  const translated = new WeakMap<TemplateStringsArray, RewrittenTemplate | null>()
  return (strings) => {
    let template = translated.get(strings)
    if (template === undefined) {
      template = translateTemplate(strings, lookup) ?? null
      translated.set(strings, template)
    }
    return template ?? undefined
  }
}

/** Translates a template. Returns undefined if no text of the template has a translation. */
export function translateTemplate(strings: readonly string[], lookup: Lookup): RewrittenTemplate | undefined {
  const source = sourceOf(strings)
  let [result, end, isTranslated] = ['', 0, false]
  for (const segment of findSegments(source)) {
    const translation = lookup(segment.text)
    // A segment that starts before `end` is an attribute of an inline element. `fillSegment` has already translated it,
    // together with the text around the element.
    if (translation === undefined || segment.start < end) continue
    result += source.slice(end, segment.start) + fillSegment(segment, translation, lookup)
    end = segment.end
    isTranslated = true
  }
  if (!isTranslated) return undefined
  const { strings: pieces, order } = splitSource(result + source.slice(end))
  return { strings: Object.assign(pieces, { raw: pieces }), order }
}

const fillSegment = ({ values, elements }: Segment, translation: string, lookup: Lookup): string =>
  translation.replace(/\{(\d+)\}|<(\/?)(\d+)>/g, (found, value?: string, slash?: string, element?: string) => {
    if (value !== undefined) return values[Number(value)] ?? found
    const tags = elements[Number(element)]
    if (!tags) return found
    return slash ? tags[1] : translateAttributes(tags[0], lookup)
  })

/** Translates the attributes of a start tag. */
function translateAttributes(tag: string, lookup: Lookup): string {
  let [result, end] = ['', 0]
  for (const segment of findSegments(tag)) {
    const translation = lookup(segment.text)
    if (translation === undefined) continue
    result += tag.slice(end, segment.start) + fillSegment(segment, translation, lookup)
    end = segment.end
  }
  return result + tag.slice(end)
}
