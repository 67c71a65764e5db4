declare enum Other {
  kind = 'other',
}

/** The type of a question that this version of the package does not know: any string, marked with `otherKind`. */
export type OtherKind = Other

/** Marks a string as the type of a question that this version of the package does not know. */
export const otherKind = (idname: string): OtherKind => idname as OtherKind
