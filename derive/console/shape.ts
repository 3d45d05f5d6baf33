/** What a member of a body is: the bodies of the interface's own operations are small, so each says it in a word. */
export type Sort = 'text' | 'texts' | 'flag' | 'id'

/** The members of a body. Those with a question mark may be absent, and so may an object of members. */
export type Shape = { readonly [name: string]: Sort | `${Sort}?` | Shape }

type ValueOf = { text: string; texts: string[]; flag: boolean; id: number }

/** A body that has its shape. */
export type Members<S extends Shape> = {
  [name in keyof S as S[name] extends Sort ? name : never]: ValueOf[S[name] & Sort]
} & {
  [name in keyof S as S[name] extends Sort ? never : name]?: S[name] extends `${infer Plain extends Sort}?`
    ? ValueOf[Plain]
    : S[name] extends Shape
      ? Members<S[name]>
      : never
}
