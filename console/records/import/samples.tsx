import { Fragment } from 'react'
import { Foreign } from '../../ui/foreign.tsx'

/** Some cells of a file. */
export const Samples = ({ texts }: { texts: readonly string[] }) =>
  texts.map((text, place) => (
    <Fragment key={place}>
      {place > 0 && ' · '}
      <Foreign text={text} />
    </Fragment>
  ))
