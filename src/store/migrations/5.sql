-- SPDX-License-Identifier: MIT
-- From version 4 to 5: what a network's file calls a layer.
-- What a network's file calls a layer, where that is not the layer's name (PyTorch's node names).
CREATE TABLE layer_alias (
    run   INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    layer INTEGER NOT NULL REFERENCES text,  -- the layer's name
    alias INTEGER NOT NULL REFERENCES text,  -- node_Conv_7
    PRIMARY KEY (run, layer)
) STRICT, WITHOUT ROWID;
