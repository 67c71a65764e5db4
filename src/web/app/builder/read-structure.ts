import { checkStructure } from '../../../domain/structure/check.ts'
import { structureWarnings } from '../../../domain/structure/warnings.ts'
import { placesIn } from '../../../lib/json-pointer.ts'
import { repeatedMembers, syntaxFaults, type TextFault } from '../../../lib/json-syntax.ts'

/** What is wrong with a structure that was typed. */
export interface StructureFault extends TextFault {
  /** JSON pointer of what is wrong, '' for the whole; undefined where the text is no JSON. */
  pointer: string | undefined
}

/** A structure as typed: what is wrong with it, each fault at its place in the text, in the order of the lines. */
export interface ParsedStructure {
  /** As authored; undefined where the text is no JSON. */
  authored: unknown
  errors: StructureFault[]
}

/** Reads what was typed. Nothing in it is wrong when there are no errors. */
export function parseStructureText(text: string): ParsedStructure {
  const unreadable = syntaxFaults(text)
  if (unreadable.length > 0) return { authored: undefined, errors: unreadable.map(withoutPointer) }
  const authored: unknown = JSON.parse(text)
  const find = placesIn(text)
  const errors = checkStructure(authored).map(({ field, message }) => ({ pointer: field, message, ...find(field) }))
  return { authored, errors: [...repeatedMembers(text).map(withoutPointer), ...errors].sort((a, b) => a.from - b.from) }
}

/** Returns what is no fault and yet hardly meant, each warning at its place in the text. */
export function warningsIn({ authored }: ParsedStructure, text: string): StructureFault[] {
  const find = placesIn(text)
  return structureWarnings(authored).map(({ pointer, message }) => ({ pointer, message, ...find(pointer) }))
}

const withoutPointer = (fieldError: TextFault): StructureFault => ({ ...fieldError, pointer: undefined })

/** A structure as it is edited: two spaces a level. */
export const formatStructure = (structure: unknown): string => JSON.stringify(structure, null, 2)
