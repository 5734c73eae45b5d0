/** The node that is looked at, beside the tree, and what the signs mean. */
import type { VNode } from 'preact';
import { stateOf } from '../../core/views/overview.ts';
import type { TreeNode } from '../../core/types.ts';
import { Markdown } from '../markdown-view.tsx';
import { Card, NodeBadge, StateSign, stateWords } from '../parts.tsx';
import { hrefOfNode } from '../routes.ts';
import type { CurrentNode } from './tree-list.tsx';
import { describeWork, renderAttempts } from './tree-work.ts';
import type { TreeWork } from './tree-work.ts';
import { Words } from '../words.tsx';

const legend = ['passed', 'derived', 'retrying', 'stuck', 'open'] as const;

interface ActiveNodeProps {
  readonly node: TreeNode;
  readonly work: TreeWork;
  readonly current: CurrentNode;
}

export function ActiveNode({ node, work, current }: ActiveNodeProps): VNode {
  return (
    <aside class="tree-side" aria-label="Active node">
      <Card title="Node" extra={<a href={hrefOfNode(node.id)}>details</a>}>
        <p class="node-title">
          <Words text={node.title} max={300} />
        </p>
        <p class="muted mono">
          <Words text={node.id} max={200} />
        </p>
        <p>
          <NodeBadge id={node.id} state={stateOf(node)} />{' '}
          {node.id === current.id && current.word === 'next' && <span class="tag">next</span>}{' '}
          <span class="muted">{renderAttempts(node)}</span>
        </p>
        <p class="muted">{describeWork(work.get(node.id))}</p>
        <h3>Goal</h3>
        <Markdown text={node.goal} max={1500} />
        {node.acceptance.length > 0 && (
          <>
            <h3>Accepted when</h3>
            <ul class="acceptance">
              {node.acceptance.slice(0, 20).map((line, index) => (
                <li key={index}>
                  <Words text={line} max={500} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Card>
      <ul class="tree-legend muted">
        {legend.map((state) => (
          <li key={state}>
            <StateSign state={state} /> {stateWords[state]}
          </li>
        ))}
        <li>1/3: attempts used</li>
      </ul>
    </aside>
  );
}
