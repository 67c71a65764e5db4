import { checkStructure } from '../../../domain/structure/check.ts'
import { kindOf } from '../../../domain/structure/kinds.ts'
import { isRecord, pagePlaces, under } from '../../../domain/structure/walk.ts'
import { placesIn } from '../../../lib/json-place.ts'
import { repeatedMembers, syntaxFaults, type TextFault } from '../../../lib/json-syntax.ts'

/** What is wrong with a structure that was typed. */
export interface StructureFault extends TextFault {
  /** JSON pointer of what is wrong, '' for the whole; undefined where the text is no JSON. */
  pointer: string | undefined
}

/** A structure as typed: what is wrong with it, each fault at its place in the text, in the order of the lines. */
export interface Reading {
  /** As authored; undefined where the text is no JSON. */
  authored: unknown
  faults: StructureFault[]
}

/** Reads what was typed. Nothing in it is wrong when there are no faults. */
export function readStructure(text: string): Reading {
  const unreadable = syntaxFaults(text)
  if (unreadable.length > 0) return { authored: undefined, faults: unreadable.map(withoutPointer) }
  const authored: unknown = JSON.parse(text)
  const find = placesIn(text)
  const faults = checkStructure(authored).map(({ field, message }) => ({ pointer: field, message, ...find(field) }))
  return { authored, faults: [...repeatedMembers(text).map(withoutPointer), ...faults].sort((a, b) => a.from - b.from) }
}

/**
 * What is no fault, and yet hardly meant: types of question that nobody knows, mostly words with a slip in them. They
 * are kept, and shown as text.
 */
export function remarksOn({ authored }: Reading, text: string): StructureFault[] {
  if (!isRecord(authored)) return []
  const find = placesIn(text)
  return pagePlaces(authored.form)
    .flatMap(({ questions }) => questions)
    .flatMap(({ value, pointer }) => {
      if (!isRecord(value) || !value.idname || kindOf(value.idname) !== 'unknown') return []
      const place = under(pointer, 'idname')
      const message = `“${value.idname}” is no type of question known here: it is shown as text.`
      return [{ pointer: place, message, ...find(place) }]
    })
}

const withoutPointer = (fault: TextFault): StructureFault => ({ ...fault, pointer: undefined })

/** A structure as it is edited: two spaces a level. */
export const written = (structure: unknown): string => JSON.stringify(structure, null, 2)
