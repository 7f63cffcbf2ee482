import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

interface Props {
  readonly title: string;
  readonly isOpen: boolean;
  /** Called when the person closes the sheet. Without it the sheet cannot be closed. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

/** A dialog over the screen. The focus stays in it, and returns to where it was. */
export function Sheet({ title, isOpen, onClose, children }: Props): ReactNode {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      isDismissable={onClose !== undefined}
      isKeyboardDismissDisabled={onClose === undefined}
      onOpenChange={(open) => {
        if (!open) onClose?.();
      }}
    >
      <Modal className="dialog">
        <Dialog>
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
